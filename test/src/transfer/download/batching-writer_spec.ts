/** Batched writes: large, in order, one at a time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import should from 'should';
import { BatchingWriter, PeriodicFsync } from '../../../../src/transfer/download/batching-writer';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { useDisk } from '../../../support/disk';

const BLOCK_SIZE = 256 * 1024;
const CHUNK_SIZE = 10_007;

describe('BatchingWriter', () => {
  const failures: Error[] = [];
  const events = { onWritten: () => undefined, onError: (error: Error) => void failures.push(error) };
  let now: number;
  beforeEach(() => {
    failures.splice(0);
    now = 0;
  });

  it('BatchingWriter writes whole blocks, one write at a time and in order, from chunks that are overwritten afterwards', async () => {
    const sizes: number[] = [];
    const blocks = new Set<ArrayBufferLike>();
    const written: Buffer[] = [];
    let inFlight = 0;
    const writer = new BatchingWriter(
      async (buffers) => {
        inFlight += 1;
        inFlight.should.equal(1);
        await nextTurn();
        for (const { buffer } of buffers) blocks.add(buffer);
        written.push(...buffers.map((buffer) => Buffer.from(buffer)));
        sizes.push(...buffers.map(({ length }) => length));
        inFlight -= 1;
      },
      events,
      () => now,
    );
    const chunk = Buffer.alloc(CHUNK_SIZE);
    for (let index = 0; index < 1_000; index++) {
      chunk.fill(index % 256);
      if (!writer.write(chunk)) await writer.drained();
    }
    await writer.end();
    const all = Buffer.concat(written);
    all.length.should.equal(1_000 * CHUNK_SIZE);
    for (let index = 0; index < 1_000; index++) all[index * CHUNK_SIZE]?.should.equal(index % 256);
    new Set(sizes.slice(0, -1)).should.deepEqual(new Set([BLOCK_SIZE]));
    blocks.size.should.be.belowOrEqual(8);
    // Freed, which leaves nothing of them.
    for (const { byteLength } of blocks) byteLength.should.equal(0);
  });

  it('BatchingWriter writes a partly filled block once a second if the connection is slow, and in order', async () => {
    const written: Buffer[] = [];
    const write = async (buffers: readonly Buffer[]): Promise<void> => {
      await nextTurn();
      written.push(...buffers.map((buffer) => Buffer.from(buffer)));
    };
    const writer = new BatchingWriter(write, events, () => now);
    const chunk = Buffer.alloc(CHUNK_SIZE);
    for (let index = 0; index < 100; index++) {
      now = index * 500;
      chunk.fill(index);
      writer.write(chunk);
      await nextTurn();
      await nextTurn();
    }
    written.length.should.equal(49);
    await writer.end();
    const all = Buffer.concat(written);
    all.length.should.equal(100 * CHUNK_SIZE);
    for (let index = 0; index < 100; index++) all[(index + 1) * CHUNK_SIZE - 1]?.should.equal(index);
  });

  it('BatchingWriter writes whole blocks again after a connection has been slow', async () => {
    const sizes: number[] = [];
    const write = async (buffers: readonly Buffer[]): Promise<void> => {
      await nextTurn();
      sizes.push(...buffers.map(({ length }) => length));
    };
    const writer = new BatchingWriter(write, events, () => now);
    writer.write(Buffer.alloc(CHUNK_SIZE));
    now = 1_000;
    writer.write(Buffer.alloc(CHUNK_SIZE));
    await nextTurn();
    await nextTurn();
    writer.write(Buffer.alloc(2 * BLOCK_SIZE));
    await writer.end();
    sizes.should.deepEqual([2 * CHUNK_SIZE, BLOCK_SIZE, BLOCK_SIZE]);
  });

  it('BatchingWriter holds at most three blocks and a chunk if the caller waits for drained', async () => {
    let [accepted, written, maxPending] = [0, 0, 0];
    const writer = new BatchingWriter(async (buffers) => {
      maxPending = Math.max(maxPending, accepted - written);
      await nextTurn();
      written += buffers.reduce((sum, { length }) => sum + length, 0);
    }, events);
    for (let index = 0; index < 1_000; index++) {
      accepted += CHUNK_SIZE;
      if (!writer.write(Buffer.alloc(CHUNK_SIZE))) await writer.drained();
    }
    await writer.end();
    should(written).equal(accepted);
    maxPending.should.be.within(BLOCK_SIZE, 3 * BLOCK_SIZE + CHUNK_SIZE);
  });

  it('BatchingWriter reports a failed write by onError and by end, and no longer makes the caller wait', async () => {
    const writer = new BatchingWriter(() => Promise.reject(new Error('full')), events);
    while (writer.write(Buffer.alloc(CHUNK_SIZE)));
    await writer.drained();
    failures.should.match([{ message: 'full' }]);
    writer.write(Buffer.alloc(CHUNK_SIZE));
    await writer.drained();
    await writer.end().should.be.rejectedWith('full');
  });

  it('BatchingWriter reports a failed write if the caller never waited for drained', async () => {
    const writer = new BatchingWriter(() => Promise.reject(new Error('full')), events);
    writer.write(Buffer.alloc(BLOCK_SIZE));
    await writer.end().should.be.rejectedWith('full');
    failures.should.match([{ message: 'full' }]);
  });

  it('BatchingWriter resolves drained at once if there is room', async () => {
    const writer = new BatchingWriter(() => Promise.resolve(), events);
    await writer.drained();
    writer.write(Buffer.alloc(BLOCK_SIZE)).should.be.true();
    await writer.drained();
    await writer.end();
  });

  it('BatchingWriter resolves end only after the last write has finished', async () => {
    let isWriting = false;
    const writer = new BatchingWriter(async () => {
      isWriting = true;
      await nextTurn();
      isWriting = false;
    }, events);
    writer.write(Buffer.alloc(2 * BLOCK_SIZE + 1));
    await writer.end();
    isWriting.should.be.false();
  });
});

const MIB = 1024 * 1024;

describe('PeriodicFsync', () => {
  const disk = useDisk();
  let handle: FileHandle;
  let syncs: string[];

  beforeEach(async () => {
    handle = await open(join(disk(), 'part'), 'w');
    syncs = [];
    for (const name of ['datasync', 'sync'] as const) {
      const real = handle[name].bind(handle);
      handle[name] = () => {
        syncs.push(name);
        return real();
      };
    }
  });
  afterEach(() => handle.close().catch(() => undefined));

  it('PeriodicFsync syncs every 32 MiB, one sync at a time, and the rest at the end', async () => {
    const sync = new PeriodicFsync();
    for (let position = 0; position <= 63 * MIB; position += MIB) sync.onWritten(handle, position);
    syncs.should.deepEqual(['datasync']);
    await sync.finish(handle);
    syncs.should.deepEqual(['datasync', 'sync']);
    sync.onWritten(handle, 64 * MIB);
    await sync.finish(handle);
    sync.onWritten(handle, 95 * MIB);
    syncs.should.deepEqual(['datasync', 'sync', 'datasync', 'sync']);
    sync.onWritten(handle, 96 * MIB);
    syncs.length.should.equal(5);
    await sync.finish(handle);
  });

  it('PeriodicFsync reports whether a sync is running', async () => {
    const sync = new PeriodicFsync();
    sync.isRunning.should.be.false();
    sync.onWritten(handle, 40 * MIB);
    sync.isRunning.should.be.true();
    const last = sync.finish(handle);
    sync.isRunning.should.be.true();
    await last;
    sync.isRunning.should.be.false();
  });

  it('PeriodicFsync runs only one sync at a time for all files', async () => {
    const [first, second] = [new PeriodicFsync(), new PeriodicFsync()];
    first.onWritten(handle, 40 * MIB);
    second.onWritten(handle, 40 * MIB);
    syncs.should.deepEqual(['datasync']);
    await first.finish(handle);
    second.onWritten(handle, 41 * MIB);
    await second.finish(handle);
    syncs.should.deepEqual(['datasync', 'sync', 'datasync', 'sync']);
  });

  it('PeriodicFsync keeps the error of a failed sync, which the system reports only once', async () => {
    const sync = new PeriodicFsync();
    await handle.close();
    sync.onWritten(handle, 40 * MIB);
    await sync.finish(handle).should.be.rejectedWith({ code: 'EBADF' });
    (() => sync.onWritten(handle, 41 * MIB)).should.throw({ code: 'EBADF' });
    syncs.should.deepEqual(['datasync']);
  });
});
