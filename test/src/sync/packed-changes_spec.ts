import 'should';
import { PackedChanges } from '../../../src/sync/packed-changes';
import type { SyncChange } from '../../../src/index';

describe('PackedChanges', () => {
  const created = (id: string): SyncChange => ({
    path: `é 漢字 \ud800/${id}`,
    action: 'created',
    id,
    size: 5,
  });

  it('returns what was pushed, over many chunks, without undefined members', async () => {
    const changes = new PackedChanges();
    const error = new Error('failed');
    const expected: SyncChange[] = [{ path: 'x'.repeat(300_000), action: 'skipped', reason: 'symlink' }];
    for (let index = 0; index < 5_000; index++) expected.push(created(`F${index}`));
    expected.push({ path: 'last', action: 'failed', error });
    for (const change of expected) changes.push({ id: undefined, ...change });
    const unpacked = await changes.unpack();
    unpacked.should.eql(expected);
    unpacked.at(-1)!.error!.should.equal(error);
    (await changes.unpack()).should.be.empty();
  });

  it('replaces the id of a created file', async () => {
    const changes = new PackedChanges();
    for (const id of ['a', 'b']) changes.push(created(id));
    changes.push({ path: 'old', action: 'removed', id: 'c' });
    [...changes.createdIds()].should.eql(['a', 'b']);
    changes.replaceId('b', 'older');
    (await changes.unpack()).map(({ id }) => id).should.eql(['a', 'older', 'c']);
  });
});
