/** The real clock. */
import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** A timer of more ms than this would go off at once. */
const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await wait(Math.min(ms, LONGEST), undefined, signal ? { signal } : {});
    } catch {
      throw cancelled();
    }
  },
};
