/** A clock for tests, and its use as the system clock of this process. */
import { cancelled } from '../../src/errors';
import { systemClock } from '../../src/core/clock';
import type { Clock } from '../../src/types';

interface Sleeper {
  /** Monotonic time at which it wakes. */
  at: number;
  wake: () => void;
}

/**
 * In mode `auto` each sleep ends at once and advances the time by its length. In mode `manual` only {@link advance} and
 * {@link elapse} advance the time.
 */
export class FakeClock implements Clock {
  /** Lengths of all sleeps, in ms. */
  readonly sleeps: number[] = [];
  /** Called at the start of each sleep. */
  onSleep: (ms: number) => void = () => undefined;
  private elapsed = 0;
  /** Wall time at which {@link monotonic} was 0. */
  private origin = Date.parse('2024-05-17T10:00:00.000Z');
  private sleepers: Sleeper[] = [];

  constructor(private readonly mode: 'auto' | 'manual' = 'auto') {}

  now(): number {
    return this.origin + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(cancelled());
    this.sleeps.push(ms);
    this.onSleep(ms);
    return new Promise((resolve, reject) => {
      if (this.mode === 'auto') {
        this.elapsed += ms;
        setImmediate(() => (signal?.aborted ? reject(cancelled()) : resolve()));
        return;
      }
      const abort = (): void => {
        this.sleepers = this.sleepers.filter((each) => each !== sleeper);
        reject(cancelled());
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const sleeper = { at: this.elapsed + ms, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', abort);
    });
  }

  /** Number of pending sleeps. */
  get sleeping(): number {
    return this.sleepers.length;
  }

  /** Advances the time without ending any sleep. */
  elapse(ms: number): void {
    this.elapsed += ms;
  }

  /** Changes the wall time only, as setting the system clock does. */
  jump(ms: number): void {
    this.origin += ms;
  }

  /** Advances the time, ending each sleep when it is due. */
  async advance(ms: number): Promise<void> {
    await nextTurn();
    const end = this.elapsed + ms;
    for (;;) {
      const [next] = this.sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.sleepers = this.sleepers.filter((each) => each !== next);
      this.elapsed = Math.max(this.elapsed, next.at);
      next.wake();
      await nextTurn();
    }
    this.elapsed = end;
    await nextTurn();
  }

  /** Resolves when this many sleeps are pending. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.sleepers.length < count) await nextTurn();
  }
}

const REAL = { ...systemClock };

/** Makes all code of this process use another clock until {@link restoreSystemClock}. */
export function replaceSystemClock(clock: Clock): void {
  Object.assign(systemClock, {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
  });
}

export function restoreSystemClock(): void {
  Object.assign(systemClock, REAL);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
