/** Plans for disks that the tests don't run on. */
import should from 'should';
import type { DiskNames } from '../../../src/sync/disk-names';
import { toDiskName } from '../../../src/sync/disk-names';
import type { DriveEntry } from '../../../src/sync/list-drive';
import { Plan, planFolder } from '../../../src/sync/plan';
import { SyncFolder } from '../../../src/sync/sync-folder';
import { isDriveError } from '../../../src/index';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

const WINDOWS: DiskNames = {
  toDisk: (name) => toDiskName(name, true),
  key: (name) => name.normalize('NFC').toLowerCase(),
};

function planDown(names: readonly string[], onDisk: readonly string[] = []): Plan {
  const request = { ...SYNC_DEFAULTS, direction: 'down', localPath: '/x', folderId: 'top' } as const;
  const plan = new Plan({ ...request, extra: 'delete' }, WINDOWS);
  const remote = names.map((name): DriveEntry => {
    const file = { id: name, size: 1, time: 0, checksum: undefined, isDocument: false };
    return { name, kind: 'file', file };
  });
  const entries = onDisk.map((name) => ({ name, kind: 'file', file: { size: 1, mtimeMs: 0 } }) as const);
  planFolder(plan, new SyncFolder(undefined, ''), { local: { entries, parts: [] }, remote });
  return plan;
}

function conflictOf(plan: Plan): string | undefined {
  try {
    plan.finish();
    return undefined;
  } catch (error) {
    return isDriveError(error, 'conflict') ? error.text : String(error);
  }
}

describe('plans for a disk that ignores case', () => {
  it('names that differ only in case collide', () => {
    should(conflictOf(planDown(['A.txt', 'a.txt']))).equal('conflict_sync_names');
    should(conflictOf(planDown(['a:', 'a：']))).equal('conflict_sync_names');
  });

  it('a file on disk in another case is the same file, and keeps its name', () => {
    const plan = planDown(['A.txt', 'new?.txt'], ['a.TXT', 'extra']);
    should(conflictOf(plan)).be.undefined();
    plan.unchanged.should.equal(1);
    [...plan.transfers].map(({ name, isRenamed }) => [name, isRenamed]).should.eql([['new？.txt', true]]);
    plan.extraFiles.map(({ name }) => name).should.eql(['extra']);
  });
});
