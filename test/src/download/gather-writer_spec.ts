import { finished } from 'node:stream/promises';
import { GatherWriter } from '../../../src/download/gather-writer';

describe('GatherWriter', () => {
  it('writes 128 KiB and more at a time, one write in flight, everything in order', async () => {
    const sizes: number[] = [];
    const written: Buffer[] = [];
    let inFlight = 0;
    const writer = new GatherWriter(async (buffers) => {
      inFlight += 1;
      inFlight.should.equal(1);
      await new Promise(setImmediate);
      written.push(...buffers);
      sizes.push(buffers.reduce((sum, { length }) => sum + length, 0));
      inFlight -= 1;
    });
    for (let index = 0; index < 100; index++) writer.write(Buffer.alloc(10_000, index));
    writer.end();
    await finished(writer);
    const all = Buffer.concat(written);
    all.length.should.equal(1_000_000);
    for (let index = 0; index < 100; index++) all[index * 10_000]?.should.equal(index);
    for (const size of sizes.slice(0, -1)) size.should.be.aboveOrEqual(128 * 1024);
  });

  it('passes on that a write failed, and is closed only when none is in flight', async () => {
    let isWriting = false;
    const writer = new GatherWriter(async () => {
      isWriting = true;
      await new Promise(setImmediate);
      isWriting = false;
      throw new Error('full');
    });
    writer.write(Buffer.alloc(200_000));
    await finished(writer).should.be.rejectedWith('full');
    const other = new GatherWriter(async () => {
      isWriting = true;
      await new Promise(setImmediate);
      isWriting = false;
    });
    other.write(Buffer.alloc(200_000));
    const closed = new Promise((resolve) => other.once('close', resolve));
    other.destroy();
    await closed;
    isWriting.should.be.false();
  });
});
