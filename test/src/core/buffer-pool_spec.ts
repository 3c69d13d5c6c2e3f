/** Memory that is used again. */
import 'should';
import { BufferPool } from '../../../src/core/buffers';

describe('BufferPool', () => {
  it('a buffer is used again once it was given back, and never by two at once', () => {
    const pool = new BufferPool(1_000);
    const [first, second] = [pool.take(), pool.take()];
    first.length.should.equal(1_000);
    (first.buffer === second.buffer).should.be.false();
    pool.giveBack(first);
    const [third, fourth] = [pool.take(), pool.take()];
    third.should.equal(first);
    [first, second].includes(fourth).should.be.false();
  });
});
