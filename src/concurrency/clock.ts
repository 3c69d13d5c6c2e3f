/** The real clock, and what is made of clocks. */
import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** A timer of Node.js with more ms than this would go off at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** @param ref whether its waits keep the process alive */
function clockWith(ref: boolean): Clock {
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      try {
        await wait(Math.min(ms, LONGEST_TIMER), undefined, { ref, ...(signal ? { signal } : {}) });
      } catch {
        throw cancelled();
      }
    },
  };
}

export const systemClock: Clock = clockWith(true);

/** Of the same time, and its waits keep no process alive. */
export const idleClock: Clock = { ...clockWith(false), now: () => systemClock.now() };

/** For lengths of time: where the machine's clock is set back, this one goes on from where it was. */
export function monotonic(clock: Clock): Clock {
  let last = -Infinity;
  let behind = 0;
  return {
    now: () => {
      const now = clock.now() + behind;
      behind += Math.max(0, last - now);
      return (last = Math.max(last, now));
    },
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
