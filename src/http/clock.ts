/** The real clock. */
import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from '../errors';
import type { Clock } from '../types';

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal ? { signal } : {});
    } catch {
      throw cancelled();
    }
  },
};
