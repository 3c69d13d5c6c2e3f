import 'should';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DiskFolderLock } from '../../../src/sync/disk-folder-lock';
import { useDisk } from '../../support/disk';

describe('DiskFolderLock', () => {
  const disk = useDisk();

  it('takes no memory for runs that have ended', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const folder = disk(...Array<string>(10).fill('x'.repeat(200)));
    await mkdir(folder, { recursive: true });
    const lock = new DiskFolderLock();
    const work = (): Promise<void> => Promise.resolve();
    const runMany = async (): Promise<void> => {
      for (let count = 0; count < 5_000; count++)
        await lock.run(path.join(folder), work, { access: 'write' });
    };
    await runMany();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await runMany();
    collectGarbage();
    // The paths alone would take 10 MB.
    (process.memoryUsage().heapUsed - before).should.be.below(5_000_000);
  });
});
