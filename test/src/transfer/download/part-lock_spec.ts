/** The heartbeat of a part file that is being written. */
import { open, stat, utimes } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import should from 'should';
import { PartLock, isLocked } from '../../../../src/transfer/download/orphaned-parts';
import { useDisk } from '../../../support/disk';

describe('PartLock', () => {
  const disk = useDisk();
  const { setInterval, clearInterval } = globalThis;
  let handle: FileHandle;
  let beat: (() => void) | undefined;
  let interval: number | undefined;

  beforeEach(async () => {
    handle = await open(disk('part'), 'w');
    await utimes(disk('part'), 1_000_000, 1_000_000);
    const timer = { unref: () => timer };
    Object.assign(globalThis, {
      setInterval: (callback: () => void, ms: number) => {
        [beat, interval] = [callback, ms];
        return timer;
      },
      clearInterval: (cleared: unknown) => {
        if (cleared === timer) beat = undefined;
      },
    });
  });
  afterEach(async () => {
    Object.assign(globalThis, { setInterval, clearInterval });
    await handle.close();
  });

  it('PartLock updates the modification time of the file every 5 seconds', async () => {
    const start = Date.now();
    new PartLock('part').startHeartbeat(handle);
    should(interval).equal(5_000);
    beat?.();
    // Waits for the update, as it waits for all operations of the handle.
    await handle.close();
    (await stat(disk('part'))).mtimeMs.should.be.within(start - 1, Date.now() + 1);
  });

  it('PartLock ends its heartbeat when it is unlocked', () => {
    const lock = new PartLock('part');
    lock.startHeartbeat(handle);
    isLocked('part').should.be.true();
    lock.unlock();
    isLocked('part').should.be.false();
    should(beat).be.undefined();
  });

  it('PartLock ends its heartbeat, but stays locked, while the file is being closed', async () => {
    let close = (): void => undefined;
    const closed = new Promise<void>((resolve) => (close = resolve));
    const lock = new PartLock('part');
    lock.startHeartbeat(handle);
    lock.unlockAfter(closed);
    should(beat).be.undefined();
    isLocked('part').should.be.true();
    close();
    await closed;
    isLocked('part').should.be.false();
  });

  it('PartLock ignores a failed update', async () => {
    await handle.close();
    new PartLock('part').startHeartbeat(handle);
    beat?.();
    await new Promise((resolve) => setImmediate(resolve));
  });
});
