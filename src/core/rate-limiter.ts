/** Limits how many requests of an account start per second. */
import { cancelled } from '../errors';
import type { Clock } from '../types';
import { WaitQueue } from './semaphore';

/** ms; rate limit responses never slow requests down further than this. */
const MAX_INTERVAL = 10_000;
/** ms; rate limit responses within this time, to requests sent together, count as one. */
const SLOW_DOWN_PERIOD = 1_000;
/** The part of a slowdown that each successful request removes. */
const RECOVERY = 0.05;
/** ms by which timers may be late. Later starts make up for it; otherwise high rates couldn't be reached. */
const TIMER_DELAY = 2;

export class RateLimiter {
  private readonly minInterval: number;
  private interval: number;
  /** When the last request started. */
  private lastStart = -Infinity;
  private lastSlowDown = -Infinity;
  private readonly queue = new WaitQueue(() => this.stopTimer());
  /** Aborts the wait for the next start; undefined while the queue is empty. */
  private timer: AbortController | undefined;

  constructor(
    requestsPerSecond: number,
    private readonly clock: Clock,
  ) {
    this.minInterval = 1_000 / requestsPerSecond;
    this.interval = this.minInterval;
  }

  /** Resolves when the next request may start, in order of arrival. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    if (!this.timer && this.tryStart()) return;
    const start = this.queue.wait(signal);
    if (!this.timer) void this.serve((this.timer = new AbortController()));
    await start;
  }

  /** Rejects all queued calls with an error that each of them would get. */
  rejectQueued(error: Error): void {
    this.queue.rejectAll(error);
  }

  /** Halves the rate after a rate limit response, for queued requests too. */
  slowDown(): void {
    const now = this.clock.monotonic();
    if (now - this.lastSlowDown < SLOW_DOWN_PERIOD) return;
    this.lastSlowDown = now;
    this.interval = Math.max(this.minInterval, Math.min(MAX_INTERVAL, this.interval * 2));
  }

  /** Raises the rate again after a successful request. */
  recover(): void {
    this.interval = this.minInterval + (this.interval - this.minInterval) * (1 - RECOVERY);
  }

  private get delay(): number {
    return this.lastStart + this.interval - this.clock.monotonic();
  }

  private tryStart(): boolean {
    const { delay } = this;
    if (delay > 0) return false;
    this.lastStart = delay < -TIMER_DELAY ? this.clock.monotonic() : this.lastStart + this.interval;
    return true;
  }

  /** The rate and the queue may change during a wait, so both are checked after it. */
  private async serve(timer: AbortController): Promise<void> {
    while (!timer.signal.aborted) {
      if (this.tryStart()) this.queue.releaseFirst();
      else await this.clock.sleep(this.delay, timer.signal).catch(() => undefined);
    }
  }

  private stopTimer(): void {
    this.timer?.abort();
    this.timer = undefined;
  }
}
