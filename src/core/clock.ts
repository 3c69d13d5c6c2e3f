/** The system clock, and limits of the time that another party may take. */
import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** ms */
export const DAY = 86_400_000;
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

/**
 * The limit is measured in so many parts. While the event loop is blocked, or the process gets no CPU time, received
 * bytes wait unread: such a pause counts as one part, however long it is.
 */
const PARTS = 10;

export class TimeLimit {
  private readonly timer: NodeJS.Timeout;
  private immediate: NodeJS.Immediate | undefined;
  /** Parts that have passed. */
  private passed = 0;

  /**
   * @param ms may be exceeded by one part
   * @param onExceeded called once
   * @param hasProgress checked in each part; the limit starts again when it returns true
   */
  constructor(
    ms: number,
    private readonly onExceeded: () => void,
    private readonly hasProgress: () => boolean = () => false,
  ) {
    // Timers run before the event loop reads from sockets, immediates after it.
    const afterReading = (): void => void (this.immediate = setImmediate(() => this.endPart()));
    this.timer = setTimeout(afterReading, Math.min(ms / PARTS, MAX_TIMER_DELAY));
  }

  /** Starts again. Has no effect after {@link stop}. */
  restart(): void {
    this.passed = 0;
    this.timer.refresh();
  }

  stop(): void {
    clearTimeout(this.timer);
    clearImmediate(this.immediate);
  }

  private endPart(): void {
    this.passed = this.hasProgress() ? 0 : this.passed + 1;
    if (this.passed < PARTS) this.timer.refresh();
    else this.onExceeded();
  }
}
