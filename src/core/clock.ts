/** The system clock. */
import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** ms. Node.js fires a timer with a longer delay at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1;

/** @param ref whether a pending `sleep` keeps the process alive */
function createClock(ref: boolean): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    async sleep(ms, signal) {
      try {
        await wait(Math.min(ms, MAX_TIMER_DELAY), undefined, { ref, signal });
      } catch {
        throw cancelled();
      }
    },
  };
}

export const systemClock: Clock = createClock(true);

/** The same time as {@link systemClock}, but a pending `sleep` doesn't keep the process alive. */
export const unrefClock: Clock = {
  ...createClock(false),
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
};
