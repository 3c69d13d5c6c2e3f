/** The clocks: one that waits, one that keeps no process alive, one that never goes back. */
import { systemClock, unrefClock, TimeLimit } from '../../../src/core/clock';
import { FakeClock, replaceSystemClock, restoreSystemClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';
import 'should';
import { blockEventLoop } from '../../support/block-event-loop';

/** @returns the number of timers that keep this process alive */
function timers(): number {
  // Node 17.3 has it, its types of Node 18 don't.
  const { getActiveResourcesInfo: kinds } = process as unknown as { getActiveResourcesInfo: () => string[] };
  return kinds().filter((kind) => kind === 'Timeout').length;
}

describe('systemClock', () => {
  it('systemClock advances its wall and monotonic time while it sleeps', async () => {
    const [wall, monotonic] = [systemClock.now(), systemClock.monotonic()];
    await systemClock.sleep(3);
    systemClock.now().should.be.above(wall);
    systemClock.monotonic().should.be.above(monotonic);
  });

  it('systemClock.sleep rejects with cancelled when its signal is aborted', async () => {
    const abort = new AbortController();
    const sleep = systemClock.sleep(60_000, abort.signal);
    abort.abort();
    await rejected(sleep, 'cancelled');
    await rejected(systemClock.sleep(60_000, abort.signal), 'cancelled');
  });
});

describe('unrefClock', () => {
  it('unrefClock.sleep resolves only after its timer has fired', async () => {
    // Keeps the process alive during the test.
    const alive = setInterval(() => undefined, 1_000);
    let isDone = false;
    try {
      const wait = unrefClock.sleep(1).then(() => (isDone = true));
      // Ten turns of the microtask queue would settle a promise that needs no timer.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      isDone.should.be.false();
      await wait;
    } finally {
      clearInterval(alive);
    }
  });

  it('unrefClock.sleep keeps no process alive and can be aborted, however long it is', async () => {
    for (const ms of [60_000, 2 ** 40]) {
      const before = timers();
      const abort = new AbortController();
      const wait = unrefClock.sleep(ms, abort.signal);
      timers().should.equal(before);
      let isDone = false;
      void wait.catch(() => (isDone = true));
      await new Promise(setImmediate);
      isDone.should.be.false();
      abort.abort();
      await rejected(wait, 'cancelled');
    }
    const aborted = new AbortController();
    aborted.abort();
    await rejected(unrefClock.sleep(1, aborted.signal), 'cancelled');
  });

  it('unrefClock reads the time of systemClock, which tests replace', () => {
    const clock = new FakeClock();
    replaceSystemClock(clock);
    try {
      clock.elapse(1_000);
      clock.jump(5_000);
      unrefClock.now().should.equal(clock.now());
      unrefClock.monotonic().should.equal(clock.monotonic());
    } finally {
      restoreSystemClock();
    }
  });
});

describe('TimeLimit', () => {
  const exceeded = (ms: number, hasProgress?: () => boolean): Promise<void> =>
    new Promise((resolve) => new TimeLimit(ms, resolve, hasProgress));

  it('TimeLimit starts again as long as there is progress', async () => {
    let remaining = 15;
    await exceeded(10, () => remaining-- > 0);
    // Ten more parts without progress.
    remaining.should.equal(-10);
  });

  it('TimeLimit is not exceeded by a blocked event loop', async () => {
    let isExceeded = false;
    const limit = new TimeLimit(50, () => (isExceeded = true));
    blockEventLoop(100);
    // The next timers and immediates run.
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve)));
    isExceeded.should.be.false();
    limit.stop();
  });

  it('TimeLimit restarts until it is stopped', async () => {
    let isExceeded = false;
    const [stopped, restarted] = [new TimeLimit(10, () => (isExceeded = true)), exceeded(10)];
    stopped.restart();
    stopped.stop();
    stopped.restart();
    await restarted;
    await exceeded(10);
    isExceeded.should.be.false();
  });
});
