/** The changes of a synchronization in buffers. */
import should from 'should';
import { PackedChanges } from '../../../src/sync/packed-changes';
import type { SyncChange } from '../../../src/index';

/** Bytes: see the source. */
const CHUNK_SIZE = 256 * 1024;

describe('PackedChanges', () => {
  const created = (id: string): SyncChange => ({
    path: `é 漢字 \ud800/${id}`,
    action: 'created',
    id,
    size: 5,
  });
  const packed = (...list: readonly SyncChange[]): PackedChanges => {
    const changes = new PackedChanges();
    for (const change of list) changes.push(change);
    return changes;
  };

  it('PackedChanges returns what was pushed, over many chunks, without undefined members', async () => {
    const changes = new PackedChanges();
    const errors = ['early', 'late'].map((message) => new Error(message));
    const expected: SyncChange[] = [
      { path: 'first', action: 'failed', error: errors[0] },
      { path: 'x'.repeat(300_000), action: 'skipped', reason: 'symlink' },
    ];
    for (let index = 0; index < 5_000; index++) expected.push(created(`F${index}`));
    expected.push({ path: 'last', action: 'failed', id: 'L', size: 0, reason: 'changed', error: errors[1] });
    for (const change of expected) changes.push({ ...{ id: undefined, error: undefined }, ...change });
    const unpacked = await changes.unpack();
    unpacked.should.eql(expected);
    for (const change of unpacked) ('error' in change).should.equal(change.action === 'failed');
    should(unpacked[0]?.error).equal(errors[0]);
    should(unpacked.at(-1)?.error).equal(errors[1]);
  });

  it('PackedChanges keeps changes that end at the end of a chunk, or a byte before or after it', async () => {
    const skipped = (path: string): SyncChange => ({ path, action: 'skipped' });
    // Each change is followed by a comma, and é takes two bytes.
    const others = 2 * (JSON.stringify(skipped('')).length + 1) + 'é'.length + 1;
    for (const length of [-2, -1, 0, 1, 2]) {
      const filling = 'x'.repeat(CHUNK_SIZE - others + length);
      const expected = [skipped(''), skipped(`${filling}é`), skipped('next')];
      (await packed(...expected).unpack()).should.eql(expected);
    }
  });

  it('PackedChanges is empty after it was unpacked, and can be filled again', async () => {
    const error = new Error('failed');
    const changes = packed({ path: 'a', action: 'failed', error }, created('b'));
    changes.replaceId('b', 'older');
    await changes.unpack();
    [...changes.createdIds()].should.be.empty();
    (await changes.unpack()).should.be.empty();
    const failed: SyncChange = { path: 'c', action: 'failed', error };
    for (const change of [created('b'), failed]) changes.push(change);
    (await changes.unpack()).should.eql([created('b'), failed]);
  });

  it('PackedChanges lets other work run while it unpacks', async () => {
    const changes = packed(...Array.from({ length: 10_000 }, (_, index) => created(`F${index}`)));
    let turns = 0;
    const count = (): void => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    await changes.unpack();
    clearImmediate(immediate);
    turns.should.be.above(1);
  });

  it('PackedChanges knows the ids of created files, in all chunks', () => {
    const changes = packed({ path: 'old', action: 'removed', id: 'c' }, { path: 'none', action: 'created' });
    [...changes.createdIds()].should.be.empty();
    const ids = Array.from({ length: 10_000 }, (_, index) => `F${index}`);
    for (const id of ids) changes.push(created(id));
    [...changes.createdIds()].should.eql(ids);
  });

  it('PackedChanges replaces the id of a created file, and no other', async () => {
    const changes = packed(created('a'), created('b'), { path: 'old', action: 'removed', id: 'c' });
    changes.push({ path: 'no id', action: 'skipped' });
    changes.replaceId('b', 'older');
    const ids = (await changes.unpack()).map(({ id }) => id);
    ids.should.eql(['a', 'older', 'c', undefined]);
  });
});
