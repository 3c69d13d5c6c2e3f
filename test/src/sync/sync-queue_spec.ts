import 'should';
import { mkdir } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DiskFolderLock } from '../../../src/sync/sync-queue';
import { driveError } from '../../support/client/drive-error';
import { rejected } from '../../support/client/rejected';
import { useDisk } from '../../support/disk';

describe('DiskFolderLock', () => {
  const disk = useDisk();

  it('work in a folder whose disk never answers does not hold up work in other folders', async () => {
    const never = new Promise<string>(() => undefined);
    const lock = new DiskFolderLock((folder) => (folder === '/gone' ? never : Promise.resolve(folder)), 1);
    const aborter = new AbortController();
    const work = (): Promise<string> => Promise.resolve('done');
    const waiting = lock.run('/gone', work, { access: 'write', signal: aborter.signal });
    (await lock.run('/there', work, { access: 'write' })).should.equal('done');
    aborter.abort();
    await rejected(waiting, 'cancelled');
  });

  it('work whose folder is prepared for longer still runs before later work', async () => {
    const lock = new DiskFolderLock((folder) => Promise.resolve(folder));
    const order: string[] = [];
    let finish = (): void => undefined;
    const prepare = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const run = (name: string, more = {}): Promise<unknown> =>
      lock.run('/folder', () => Promise.resolve(order.push(name)), { access: 'read', ...more });
    const runs = [run('first', { prepare }), run('second')];
    await new Promise(setImmediate);
    finish();
    await Promise.all(runs);
    order.should.eql(['first', 'second']);
    await rejected(run('failed', { prepare: () => Promise.reject(driveError('local_file')) }), 'local_file');
  });

  it('the lock of folders on disk takes no memory for runs that have ended', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const folder = disk(...Array<string>(10).fill('x'.repeat(200)));
    await mkdir(folder, { recursive: true });
    const lock = new DiskFolderLock();
    const work = (): Promise<void> => Promise.resolve();
    const runMany = async (): Promise<void> => {
      for (let count = 0; count < 5_000; count++) await lock.run(folder, work, { access: 'write' });
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
