/** What was written reaches the disk while more comes. https://man7.org/linux/man-pages/man2/fdatasync.2.html */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PeriodicFsync } from '../../../src/download/periodic-fsync';
import { useDisk } from '../../support/disk';

const MIB = 1024 * 1024;

describe('EarlySync', () => {
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

  it('brings 32 MiB at a time to the disk, one at a time, and the rest at the end', async () => {
    const sync = new PeriodicFsync();
    for (let position = 0; position <= 63 * MIB; position += MIB) sync.reached(handle, position);
    syncs.should.deepEqual(['datasync']);
    await sync.last(handle);
    syncs.should.deepEqual(['datasync', 'sync']);
    sync.reached(handle, 64 * MIB);
    await sync.last(handle);
    sync.reached(handle, 95 * MIB);
    syncs.should.deepEqual(['datasync', 'sync', 'datasync', 'sync']);
    sync.reached(handle, 96 * MIB);
    syncs.length.should.equal(5);
    await sync.last(handle);
  });

  it('says whether the disk is at work', async () => {
    const sync = new PeriodicFsync();
    sync.isOngoing.should.be.false();
    sync.reached(handle, 40 * MIB);
    sync.isOngoing.should.be.true();
    const last = sync.last(handle);
    sync.isOngoing.should.be.true();
    await last;
    sync.isOngoing.should.be.false();
  });

  it('lets what goes to another file wait for its turn', async () => {
    const [first, second] = [new PeriodicFsync(), new PeriodicFsync()];
    first.reached(handle, 40 * MIB);
    second.reached(handle, 40 * MIB);
    syncs.should.deepEqual(['datasync']);
    await first.last(handle);
    second.reached(handle, 41 * MIB);
    await second.last(handle);
    syncs.should.deepEqual(['datasync', 'sync', 'datasync', 'sync']);
  });

  it('tells what failed, as the system says it only once', async () => {
    const sync = new PeriodicFsync();
    await handle.close();
    sync.reached(handle, 40 * MIB);
    await sync.last(handle).should.be.rejectedWith({ code: 'EBADF' });
    (() => sync.reached(handle, 41 * MIB)).should.throw({ code: 'EBADF' });
    syncs.should.deepEqual(['datasync']);
  });
});
