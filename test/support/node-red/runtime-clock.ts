import { FakeClock, replaceSystemClock, restoreSystemClock } from '../clock';

/** ms, a fraction of the shortest wait, because a local response takes some tens of event loop turns. */
const STEP = 5;

/** The clock of all accounts in this process, advanced by a test. */
export class RuntimeClock extends FakeClock {
  /** Advances the time a little with each turn of the event loop until the work is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => void (isDone = true);
    work.then(done, done);
    while (!isDone) await this.advance(STEP);
    return work;
  }
}

/** Gives the accounts that a test loads a clock of their own. @returns the clock, for use inside a test */
export function useRuntimeClock(): () => RuntimeClock {
  let clock: RuntimeClock;
  beforeEach(() => {
    clock = new RuntimeClock('manual');
    replaceSystemClock(clock);
  });
  afterEach(restoreSystemClock);
  return () => clock;
}
