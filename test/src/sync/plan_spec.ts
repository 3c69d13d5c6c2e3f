/** Plans for disks that the tests don't run on. */
import should from 'should';
import type { DiskNames } from '../../../src/sync/disk-names';
import { toFatTime } from '../../../src/sync/disk-names';
import { toDiskName } from '../../../src/fs/safe-name';
import type { DriveEntry } from '../../../src/sync/list-drive';
import { Plan, planFolder } from '../../../src/sync/plan';
import { type RemoteFile, type SyncFile, SyncFolder } from '../../../src/sync/sync-folder';
import { isDriveError } from '../../../src/index';
import { SYNC_DEFAULTS } from '../../support/sync/sync-fixture';

const WINDOWS: DiskNames = {
  prepare: () => Promise.resolve(),
  toDisk: (name) => toDiskName(name, true),
  key: (name) => name.normalize('NFC').toLowerCase(),
  toDiskTime: (time) => time,
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

/** Of one side each. */
function planUp(compare: 'time' | 'checksum' = 'time'): Plan {
  const request = { ...SYNC_DEFAULTS, direction: 'up', localPath: '/x', folderId: 'top' } as const;
  return new Plan({ ...request, compare, extra: 'delete' }, WINDOWS);
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

describe('plans of comparisons and exports', () => {
  const top = new SyncFolder(undefined, '');
  const fileOf = (time: number | undefined): SyncFile => ({
    ...{ folder: top, name: 'a', isRenamed: false, local: { size: 1, mtimeMs: 0 } },
    remote: { id: 'F', size: 1, time, checksum: undefined, isDocument: false },
  });

  it('newer files on the drive are replaced only if the service keeps the times of others', () => {
    const unknown = planUp();
    unknown.addCompared(fileOf(5_000), 'newer', 'a');
    unknown.finish();
    [unknown.unchanged, unknown.transfers.length].should.eql([1, 0]);
    const keeping = planUp();
    keeping.addCompared(fileOf(5_000), 'newer', 'a');
    keeping.addCompared(fileOf(0), 'same', 'b');
    keeping.finish();
    [keeping.unchanged, keeping.transfers.length].should.eql([1, 1]);
  });

  it('newer files on the drive are not comparable if checksums are wanted and the service keeps no times', () => {
    const plan = planUp('checksum');
    plan.addCompared(fileOf(5_000), 'newer', 'a');
    plan.finish();
    [plan.unchanged, plan.transfers.length].should.eql([0, 0]);
    const change = { path: 'a', action: 'skipped', id: 'F', size: 1, reason: 'not_comparable' };
    plan.changes.list().should.eql({ changes: [change], changesOmitted: 0 });
  });

  it('nothing is removed if a folder could not be read', () => {
    const plan = planUp();
    plan.addSourceFile();
    plan.addExtra(fileOf(0));
    plan.fail(top, new Error());
    plan.finish();
    plan.extraFiles.length.should.equal(0);
  });

  for (const [format, expected] of [
    ['application/pdf', 'report.pdf'],
    ['.pdf', 'report.pdf'],
    ['.unknown-format', 'report.unknown-format'],
  ] as const) {
    it(`a document that is exported to ${format} is called ${expected}`, () => {
      const request = { ...SYNC_DEFAULTS, direction: 'down', localPath: '/x', folderId: 'top' } as const;
      const plan = new Plan({ ...request, exportFormat: format }, WINDOWS);
      const file = { id: 'F', size: undefined, time: 0, checksum: undefined, isDocument: true };
      const remote: DriveEntry[] = [{ name: 'report', kind: 'document', file }];
      planFolder(plan, new SyncFolder(undefined, ''), { local: undefined, remote });
      [...plan.transfers].map(({ name }) => name).should.eql([expected]);
    });
  }
});

describe('plans for a FAT disk, which stores even seconds', () => {
  const FAT: DiskNames = { ...WINDOWS, toDiskTime: toFatTime };
  const request = { ...SYNC_DEFAULTS, direction: 'down', localPath: '/x', folderId: 'top' } as const;
  /** A file whose time on the drive is an odd second. */
  function planOdd(mtimeMs: number, file: Partial<RemoteFile>): Plan {
    const plan = new Plan({ ...request, exportFormat: 'pdf' }, FAT);
    const { isDocument = false } = file;
    const remote = { id: 'f', size: 1, time: 11_500, checksum: undefined, isDocument, ...file };
    const entry: DriveEntry = { name: 'a.pdf', kind: isDocument ? 'document' : 'file', file: remote };
    const local = { name: 'a.pdf', kind: 'file', file: { size: 1, mtimeMs } } as const;
    const listing = { local: { entries: [local], parts: [] }, remote: [entry] };
    planFolder(plan, new SyncFolder(undefined, ''), listing);
    plan.finish();
    return plan;
  }

  for (const [what, file] of [
    ['a file', { checksum: 'x'.repeat(16) }],
    ['a file without a checksum', {}],
    ['a Workspace document', { isDocument: true, size: undefined }],
  ] as const) {
    it(`${what} is unchanged in the second run`, () => {
      planOdd(10_000, file).unchanged.should.equal(1);
      planOdd(12_000, file).unchanged.should.equal(0);
    });
  }

  it('a downloaded file gets the time that the disk can store', () => {
    [...planOdd(12_000, {}).transfers].map(({ remote }) => remote?.time).should.eql([10_000]);
  });
});
