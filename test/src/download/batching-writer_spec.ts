/** Small pieces reach the disk in large ones, in order, and an error of the disk reaches who wrote. */
import { setImmediate as turn } from 'node:timers/promises';
import should from 'should';
import { BatchingWriter } from '../../../src/download/batching-writer';

const BLOCK = 256 * 1024;
const PIECE = 10_007;

describe('GatherWriter', () => {
  const failures: Error[] = [];
  const events = { onBytes: () => undefined, onFailure: (error: Error) => void failures.push(error) };
  let now: number;
  beforeEach(() => {
    failures.splice(0);
    now = 0;
  });

  it('writes whole blocks, one write in flight, everything in order, from pieces that are overwritten', async () => {
    const sizes: number[] = [];
    const blocks = new Set<unknown>();
    const written: Buffer[] = [];
    let inFlight = 0;
    const writer = new BatchingWriter(
      async (buffers) => {
        inFlight += 1;
        inFlight.should.equal(1);
        await turn();
        for (const { buffer } of buffers) blocks.add(buffer);
        written.push(...buffers.map((buffer) => Buffer.from(buffer)));
        sizes.push(...buffers.map(({ length }) => length));
        inFlight -= 1;
      },
      events,
      () => now,
    );
    const piece = Buffer.alloc(PIECE);
    for (let index = 0; index < 1_000; index++) {
      piece.fill(index % 256);
      if (!writer.take(piece)) await writer.ready();
    }
    await writer.end();
    const all = Buffer.concat(written);
    all.length.should.equal(1_000 * PIECE);
    for (let index = 0; index < 1_000; index++) all[index * PIECE]?.should.equal(index % 256);
    new Set(sizes.slice(0, -1)).should.deepEqual(new Set([BLOCK]));
    blocks.size.should.be.belowOrEqual(8);
  });

  it('writes once a second what has come by a slow line, and everything in order', async () => {
    const written: Buffer[] = [];
    const write = async (buffers: readonly Buffer[]): Promise<void> => {
      await turn();
      written.push(...buffers.map((buffer) => Buffer.from(buffer)));
    };
    const writer = new BatchingWriter(write, events, () => now);
    const piece = Buffer.alloc(PIECE);
    for (let index = 0; index < 100; index++) {
      now = index * 500;
      piece.fill(index);
      writer.take(piece);
      await turn();
      await turn();
    }
    written.length.should.equal(49);
    await writer.end();
    const all = Buffer.concat(written);
    all.length.should.equal(100 * PIECE);
    for (let index = 0; index < 100; index++) all[(index + 1) * PIECE - 1]?.should.equal(index);
  });

  it('writes whole blocks again where a line has been slow for a while', async () => {
    const sizes: number[] = [];
    const write = async (buffers: readonly Buffer[]): Promise<void> => {
      await turn();
      sizes.push(...buffers.map(({ length }) => length));
    };
    const writer = new BatchingWriter(write, events, () => now);
    writer.take(Buffer.alloc(PIECE));
    now = 1_000;
    writer.take(Buffer.alloc(PIECE));
    await turn();
    await turn();
    writer.take(Buffer.alloc(2 * BLOCK));
    await writer.end();
    sizes.should.deepEqual([2 * PIECE, BLOCK, BLOCK]);
  });

  it('holds no more than a few blocks where who gives waits until it is ready', async () => {
    let [given, put, most] = [0, 0, 0];
    const writer = new BatchingWriter(async (buffers) => {
      most = Math.max(most, given - put);
      await turn();
      put += buffers.reduce((sum, { length }) => sum + length, 0);
    }, events);
    for (let index = 0; index < 1_000; index++) {
      given += PIECE;
      if (!writer.take(Buffer.alloc(PIECE))) await writer.ready();
    }
    await writer.end();
    should(put).equal(given);
    most.should.be.within(BLOCK, 3 * BLOCK + PIECE);
  });

  it('tells that a write failed, then and at its end, and lets nobody wait', async () => {
    const writer = new BatchingWriter(() => Promise.reject(new Error('full')), events);
    while (writer.take(Buffer.alloc(PIECE)));
    await writer.ready();
    failures.should.match([{ message: 'full' }]);
    writer.take(Buffer.alloc(PIECE));
    await writer.ready();
    await writer.end().should.be.rejectedWith('full');
  });

  it('tells that a write failed, too, where nobody waited for it', async () => {
    const writer = new BatchingWriter(() => Promise.reject(new Error('full')), events);
    writer.take(Buffer.alloc(BLOCK));
    await writer.end().should.be.rejectedWith('full');
    failures.should.match([{ message: 'full' }]);
  });

  it('is ready where there is room', async () => {
    const writer = new BatchingWriter(() => Promise.resolve(), events);
    await writer.ready();
    writer.take(Buffer.alloc(BLOCK)).should.be.true();
    await writer.ready();
    await writer.end();
  });

  it('is at its end only when no write is in flight', async () => {
    let isWriting = false;
    const writer = new BatchingWriter(async () => {
      isWriting = true;
      await turn();
      isWriting = false;
    }, events);
    writer.take(Buffer.alloc(2 * BLOCK + 1));
    await writer.end();
    isWriting.should.be.false();
  });
});
