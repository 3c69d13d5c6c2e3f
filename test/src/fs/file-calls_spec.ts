/** Calls of the file system on the main thread. */
import 'should';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { localFileCalls } from '../../../src/fs/file-calls';
import { isLinuxFileSystem, withPinnedFolder } from '../../../src/fs/pinned-folder';
import { useDisk } from '../../support/disk';

/** Calls of the file system that threads make. */
function pendingCalls(): number {
  const { getActiveResourcesInfo: kinds } = process as unknown as { getActiveResourcesInfo: () => string[] };
  return kinds().filter((kind) => kind === 'FSReqPromise').length;
}

describe('calls of the file system for small files', () => {
  const disk = useDisk();
  /** Each call of the clock takes this long, so each call of the file system too. */
  let duration: number;
  let time: number;
  const now = (): number => (time += duration);

  beforeEach(() => {
    duration = 1;
    time = 0;
  });

  it('a call for a small file on a local disk is complete when it returns', async () => {
    const calls = localFileCalls(now);
    const [part, file] = [disk('part'), disk('file')];
    const pending = [
      calls.createFile(part, Buffer.from('text')),
      calls.lutimes(part, new Date(), new Date(1_000_000)),
      calls.link(part, file),
      calls.unlink(part),
    ];
    const { size, mtimeMs } = statSync(file);
    [size, mtimeMs, existsSync(part)].should.deepEqual([4, 1_000_000, false]);
    await Promise.all(pending);
  });

  it('after a call that took long, the event loop waits for no call for a hundred times as long', async () => {
    const calls = localFileCalls(now);
    /** @returns whether the main thread has made the call */
    const create = async (name: string): Promise<boolean> => {
      const before = pendingCalls();
      const created = calls.createFile(disk(name), Buffer.from('text'));
      const isComplete = pendingCalls() === before;
      await created;
      statSync(disk(name)).size.should.equal(4);
      return isComplete;
    };
    (await create('fast')).should.be.true();
    duration = 3;
    (await create('slow')).should.be.true();
    duration = 1;
    (await create('soon after it')).should.be.false();
    time += 280;
    (await create('still soon')).should.be.false();
    time += 20;
    (await create('later')).should.be.true();
  });

  it('a failed call on the main thread rejects with the error of the system, also if it took long', async () => {
    const calls = localFileCalls(now);
    mkdirSync(disk('taken'));
    duration = 3;
    for (let attempt = 0; attempt < 2; attempt++) {
      const { code } = await calls.createFile(disk('taken'), Buffer.from('text')).then(
        () => ({ code: 'none' }),
        (error: NodeJS.ErrnoException) => error,
      );
      String(code).should.equal('EEXIST');
    }
  });

  it('a folder without a disk, such as /proc, is not a local one, and the temporary folder is', async function () {
    if (process.platform !== 'linux') return this.skip('needs Linux');
    const isLocal = (folder: string): Promise<boolean> =>
      withPinnedFolder(folder, (pinned) => pinned.isLocal());
    (await isLocal('/proc')).should.be.false();
    (await isLocal(disk())).should.be.true();
  });

  it('file systems of networks, of other processes and of FAT disks are not local', () => {
    const [NFS, CIFS, SMB2, FUSE, V9FS, FAT, EXFAT] = [
      ...[0x6969, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x4d44, 0x2011bab0],
    ];
    for (const type of [NFS, CIFS, SMB2, FUSE, V9FS, FAT, EXFAT, undefined])
      isLinuxFileSystem(type).should.be.false();
  });
});
