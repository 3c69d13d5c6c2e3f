/** The memory of large buffers is freed only if nobody else uses it. */
import should from 'should';
import { freeBuffer, largeBuffer, BufferPool } from '../../../src/core/buffers';
import 'should';

describe('freeBuffer', () => {
  it('freeBuffer frees the memory of a buffer at once, repeatedly', () => {
    for (let count = 0; count < 3; count++) {
      const buffer = Buffer.allocUnsafeSlow(1024);
      freeBuffer(buffer);
      buffer.length.should.equal(0);
      // A second call does nothing.
      freeBuffer(buffer);
    }
  });

  it('freeBuffer leaves buffers alone that share their memory with others', () => {
    const whole = Buffer.alloc(8, 'x');
    const shared = Buffer.from(new SharedArrayBuffer(8));
    for (const buffer of [whole.subarray(0, 4), Buffer.from(whole.buffer, 4), shared]) {
      const { length } = buffer;
      freeBuffer(buffer);
      buffer.length.should.equal(length);
    }
    whole.toString().should.equal('xxxxxxxx');
  });
});

describe('largeBuffer', () => {
  it('the system gets the memory of a large buffer back each time when it is freed', () => {
    const SIZE = 16 * 1024 * 1024;
    for (let count = 0; count < 3; count++) {
      const before = process.memoryUsage.rss();
      const buffer = largeBuffer(SIZE).fill(1, 0, SIZE);
      freeBuffer(buffer);
      should(process.memoryUsage.rss() - before).be.below(SIZE / 2);
    }
  });
});

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
