/** The lock between processes, with real files. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { withLockFile } from '../../../nodes/shared/runtime/lock-file';
import { FakeClock } from '../../support/clock';

describe('withLockFile', () => {
  let folder: string;
  let lock: string;
  let clock: FakeClock;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
    lock = path.join(folder, 'lock');
    clock = new FakeClock();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('withLockFile holds the lock while the work runs, and removes it even if the work fails', async () => {
    should(await withLockFile(lock, () => existsSync(lock), clock)).be.true();
    const fail = (): never => {
      throw new Error('failed');
    };
    await withLockFile(lock, fail, clock).should.be.rejectedWith('failed');
    existsSync(lock).should.be.false();
    clock.sleeps.should.be.empty();
  });

  it('withLockFile waits while other processes hold the lock, one after the other', async () => {
    writeFileSync(lock, '');
    clock.onSleep = () => {
      // Not the same file as before, so it isn't abandoned.
      if (clock.sleeps.length < 2_000) writeFileSync(lock, 'x'.repeat(clock.sleeps.length));
      else rmSync(lock);
    };
    await withLockFile(lock, () => undefined, clock);
    clock.sleeps.length.should.equal(2_000);
  });

  it('withLockFile removes the lock of a killed process after five seconds, whatever its date', async () => {
    writeFileSync(lock, '');
    should(await withLockFile(lock, () => 'done', clock)).equal('done');
    clock.monotonic().should.equal(5_000);
    existsSync(lock).should.be.false();
  });

  it('withLockFile throws if it cannot create the file', async () => {
    const missing = path.join(folder, 'missing', 'lock');
    await withLockFile(missing, () => undefined, clock).should.be.rejectedWith({ code: 'ENOENT' });
  });
});
