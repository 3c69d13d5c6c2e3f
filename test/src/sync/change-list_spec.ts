/** Which changes of a synchronization are listed. */
import 'should';
import { ChangeList } from '../../../src/sync/change-list';
import type { SyncChange } from '../../../src/index';

const MAX_CHANGES = 10_000;

function listOf(changes: Iterable<SyncChange>): ChangeList {
  const list = new ChangeList();
  for (const change of changes) list.add(change);
  return list;
}

describe('the list of changes', () => {
  it('changes are listed in their order, without undefined members', () => {
    const error = new Error('failed');
    const changes: SyncChange[] = [
      { path: 'a', action: 'created', id: 'A', size: 5 },
      { path: 'b', action: 'failed', error },
      { path: 'c', action: 'skipped', reason: 'symlink' },
    ];
    const list = listOf(changes.map((change) => ({ id: undefined, error: undefined, ...change })));
    list.list().should.eql({ changes, changesOmitted: 0 });
    list.counts.should.eql({ created: 1, updated: 0, removed: 0, skipped: 1, failed: 1 });
  });

  it('of 200,000 changes, 10,000 are listed, among them all that failed and were removed', () => {
    function* all(): Generator<SyncChange> {
      for (let index = 0; index < 200_000; index++) yield { path: `${index}`, action: 'created' };
      yield { path: 'removed', action: 'removed' };
      for (let index = 0; index < 3; index++) yield { path: `failed ${index}`, action: 'failed' };
    }
    const { changes, changesOmitted } = listOf(all()).list();
    changes.length.should.equal(MAX_CHANGES);
    changesOmitted.should.equal(200_004 - MAX_CHANGES);
    changes
      .slice(-5)
      .map(({ path }) => path)
      .should.eql(['9995', 'removed', 'failed 0', 'failed 1', 'failed 2']);
  });

  it('if more than 10,000 failed, the first ones are listed', () => {
    const failed = Array.from({ length: MAX_CHANGES + 2 }, (_, index): SyncChange => ({
      path: `${index}`,
      action: 'failed',
    }));
    const list = listOf([{ path: 'created', action: 'created' }, ...failed]);
    list.list().should.eql({ changes: failed.slice(0, MAX_CHANGES), changesOmitted: 3 });
    list.counts.failed.should.equal(MAX_CHANGES + 2);
  });
});
