import { systemClock } from '../../../src/index';
import { FakeClock } from '../clock';

/** A fraction of the shortest wait, in ms: an answer on this machine takes some tens of turns of the event loop. */
const STEP = 5;

/** The clock of all accounts in this process, which a test moves. */
export class RuntimeClock extends FakeClock {
  /** Lets the time run, a little with each turn of the event loop, until the work is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => void (isDone = true);
    work.then(done, done);
    while (!isDone) await this.advance(STEP);
    return work;
  }
}

const REAL = { ...systemClock };

/** Lets the accounts that a test loads live by a clock of the test's own. @returns it, for use inside a test */
export function useRuntimeClock(): () => RuntimeClock {
  let clock: RuntimeClock;
  beforeEach(() => {
    clock = new RuntimeClock('manual');
    Object.assign(systemClock, {
      now: () => clock.now(),
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    });
  });
  afterEach(() => void Object.assign(systemClock, REAL));
  return () => clock;
}
