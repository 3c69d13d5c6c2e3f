import should from 'should';
import { DriveError, cancelled } from '../../../../src/errors';
import { pruneSnapshots } from '../../../../src/backup/restic/write-snapshot';
import type { Repository, StoredSnapshot } from '../../../../src/backup/restic/repository';
import { NS_PER_MS } from '../../../../src/backup/restic/json-file';
import { RULES } from '../../../support/snapshots/snapshot-fixture';

const DAY = 86_400_000;
const NOW = Date.parse('2024-05-17T10:00:00Z');

describe('pruneSnapshots', () => {
  const snapshot = (id: string, days: number, tags: string[] = []): StoredSnapshot => ({
    ...{ id: id.repeat(64), time: BigInt(NOW - days * DAY) * NS_PER_MS, tree: 'f'.repeat(64), tags },
    ...{ paths: ['/home'], hostname: 'pi', username: 'root' },
  });
  const created = snapshot('9', 0);
  const earlier = [snapshot('1', 3), snapshot('2', 2, ['incomplete']), snapshot('3', 1)];

  /** @param keepNewest undefined without rules */
  function prune(
    keepNewest: number | undefined,
    remove: (id: string) => Promise<void>,
  ): ReturnType<typeof pruneSnapshots> {
    const store = { time: () => Promise.resolve(NOW), remove: (_type: string, id: string) => remove(id) };
    const repository = { store } as unknown as Repository;
    const retention = keepNewest === undefined ? undefined : { ...RULES, keepNewest };
    return pruneSnapshots({ repository, earlier, created, retention, timeZone: 'UTC' });
  }
  const ids = (snapshots: readonly { id: string }[]): string => snapshots.map(({ id }) => id[0]).join('');

  it('removes what no rule keeps, and incomplete snapshots, which count for none', async () => {
    const { pruned } = await prune(2, () => Promise.resolve());
    ids(pruned.kept).should.equal('93');
    ids(pruned.removed).should.equal('12');
  });

  it('reports a snapshot that can’t be removed, and removes the others', async () => {
    const refused = new DriveError('not_found');
    const remove = (id: string): Promise<void> =>
      id.startsWith('3') ? Promise.reject(refused) : Promise.resolve();
    const { pruned, laterError } = await prune(1, remove);
    ids(pruned.removed).should.equal('12');
    ids(pruned.failed.map((each) => each.snapshot)).should.equal('3');
    laterError!.code!.should.equal('partial_failure');
  });

  it('without rules, an incomplete snapshot that the account may not remove is no failure', async () => {
    const refused = new DriveError('permission_denied', { text: 'permission_denied_scope' });
    const remove = (): Promise<void> => Promise.reject(refused);
    const { pruned, laterError } = await prune(undefined, remove);
    pruned.should.have.properties({ removed: [], failed: [] });
    should(laterError).be.undefined();
    should((await prune(1, remove)).laterError).have.property('code', 'partial_failure');
  });

  it('ends when it is cancelled, and reports what was removed until then', async () => {
    const remove = (id: string): Promise<void> =>
      id.startsWith('3') ? Promise.resolve() : Promise.reject(cancelled());
    const { pruned, laterError } = await prune(1, remove);
    ids(pruned.removed).should.equal('3');
    ids(pruned.kept).should.equal('912');
    should(laterError).have.property('code', 'cancelled');
  });
});
