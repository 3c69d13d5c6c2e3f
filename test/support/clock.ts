/** The one thing that tests fake: time. */
import { cancelled } from '../../src/errors';
import { systemClock } from '../../src/concurrency/clock';
import type { Clock } from '../../src/types';

interface Sleeper {
  at: number;
  wake: () => void;
}

/**
 * A clock for tests. `auto` lets each sleep end at once and moves the time by it; otherwise the time stands still until
 * {@link advance} moves it.
 */
export class FakeClock implements Clock {
  /** Lengths of all sleeps, in ms. */
  readonly sleeps: number[] = [];
  /** Told of each sleep when it begins. */
  onSleep: (ms: number) => void = () => undefined;
  private time = Date.parse('2024-05-17T10:00:00.000Z');
  private sleepers: Sleeper[] = [];

  constructor(private readonly mode: 'auto' | 'manual' = 'auto') {}

  now(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled());
    this.sleeps.push(ms);
    this.onSleep(ms);
    return new Promise((resolve, reject) => {
      if (this.mode === 'auto') {
        this.time += ms;
        setImmediate(() => (signal?.aborted ? reject(cancelled()) : resolve()));
        return;
      }
      const leave = (): void => {
        this.sleepers = this.sleepers.filter((each) => each !== sleeper);
        reject(cancelled());
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const sleeper = { at: this.time + ms, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', leave);
    });
  }

  /** How many sleep now. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  /** Moves the time without waking anybody. */
  pass(ms: number): void {
    this.time += ms;
  }

  /** Moves the time on, waking in order of time, and lets those who wake run. */
  async advance(ms: number): Promise<void> {
    await turn();
    const end = this.time + ms;
    for (;;) {
      const [next] = this.sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.sleepers = this.sleepers.filter((each) => each !== next);
      this.time = Math.max(this.time, next.at);
      next.wake();
      await turn();
    }
    this.time = end;
    await turn();
  }

  /** Resolves as soon as somebody sleeps; for work that comes to its sleep by way of the network. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.sleepers.length < count) await turn();
  }
}

const REAL = { ...systemClock };

/** Lets the nodes of this process live by another clock, until {@link restoreClock}. */
export function liveBy(clock: Clock): void {
  Object.assign(systemClock, {
    now: () => clock.now(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
  });
}

export function restoreClock(): void {
  Object.assign(systemClock, REAL);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
