/** Syncs during a download. https://man7.org/linux/man-pages/man2/fdatasync.2.html */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PeriodicFsync } from '../../../../src/transfer/download/batching-writer';
import { useDisk } from '../../../support/disk';

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
