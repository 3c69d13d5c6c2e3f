/** The real clock, whose waits keep no process alive: nobody is there any more who would approve a sign-in. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, cancelled, systemClock } from '../../src/index';

/** A timer of more ms than this would go off at once. */
const LONGEST = 2 ** 31 - 1;

export const idleClock: Clock = {
  now: () => systemClock.now(),
  async sleep(ms, signal) {
    try {
      await wait(Math.min(ms, LONGEST), undefined, { ref: false, ...(signal ? { signal } : {}) });
    } catch {
      throw cancelled();
    }
  },
};
