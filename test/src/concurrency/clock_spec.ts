/** The clocks: one that waits, one that keeps no process alive, one that never goes back. */
import { idleClock, monotonic, systemClock } from '../../../src/concurrency/clock';
import { FakeClock } from '../../support/clock';
import { rejected } from '../../support/client/rejected';

/** Timers that keep this process alive. */
function timers(): number {
  // Node 17.3 has it, its types of Node 18 don't.
  const { getActiveResourcesInfo: kinds } = process as unknown as { getActiveResourcesInfo: () => string[] };
  return kinds().filter((kind) => kind === 'Timeout').length;
}

describe('the real clock', () => {
  it('wakes, and has moved', async () => {
    const before = systemClock.now();
    await systemClock.sleep(2);
    systemClock.now().should.be.above(before);
  });

  it('is ended by its signal', async () => {
    const abort = new AbortController();
    const sleep = systemClock.sleep(60_000, abort.signal);
    abort.abort();
    await rejected(sleep, 'cancelled');
    await rejected(systemClock.sleep(60_000, abort.signal), 'cancelled');
  });
});

describe('the clock of sign-ins', () => {
  it('waits', async () => {
    // Nothing but this test keeps the process alive meanwhile.
    const alive = setInterval(() => undefined, 1_000);
    let isOver = false;
    try {
      const wait = idleClock.sleep(1).then(() => (isOver = true));
      // What is over at once is over when the promises that are under way have been seen to: no timer comes in between.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      isOver.should.be.false();
      await wait;
    } finally {
      clearInterval(alive);
    }
  });

  it('keeps no process alive, however long it waits, and is ended by its signal', async () => {
    for (const ms of [60_000, 2 ** 40]) {
      const before = timers();
      const abort = new AbortController();
      const wait = idleClock.sleep(ms, abort.signal);
      timers().should.equal(before);
      let isOver = false;
      void wait.catch(() => (isOver = true));
      await new Promise(setImmediate);
      isOver.should.be.false();
      abort.abort();
      await rejected(wait, 'cancelled');
    }
    const aborted = new AbortController();
    aborted.abort();
    await rejected(idleClock.sleep(1, aborted.signal), 'cancelled');
  });
});

describe('a steady clock', () => {
  it('goes on from where it was when the machine’s is set back', () => {
    const machine = new FakeClock();
    const clock = monotonic(machine);
    const start = clock.now();
    const passed = (): number => clock.now() - start;
    machine.pass(100);
    passed().should.equal(100);
    machine.pass(-5_000);
    passed().should.equal(100);
    machine.pass(50);
    passed().should.equal(150);
    machine.pass(-1);
    machine.pass(2);
    passed().should.equal(151);
  });
});
