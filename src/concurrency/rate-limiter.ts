/** Limits how fast requests of one account start, in order of arrival. */
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** After a rate answer the pace is halved, but never below one request in this many ms. */
const SLOWEST = 10_000;
/** Rate answers that come together, to requests that were on their way together, count as one. */
const TOGETHER = 1_000;
/** Each request that went well takes away this part of the slowing down. */
const RECOVERY = 0.05;
/** Timers are this late, ms: that is made up for, lest high rates come out lower than they were set. */
const GRAIN = 2;

interface Waiting {
  start(): void;
  fail(error: Error): void;
}

export class RateLimiter {
  private readonly shortest: number;
  private interval: number;
  /** When the last request started. */
  private last = -Infinity;
  private slowed = -Infinity;
  /** In order of arrival. Who gives up is taken out, and the turn goes to the next. */
  private readonly waiting = new Set<Waiting>();
  /** Ends the wait for the next turn; undefined while nobody waits. */
  private alarm: AbortController | undefined;

  constructor(
    requestsPerSecond: number,
    private readonly clock: Clock,
  ) {
    this.shortest = 1_000 / requestsPerSecond;
    this.interval = this.shortest;
  }

  /** Resolves when the next request may start. Callers get their turns in the order in which they called. */
  async acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    if (!this.alarm && this.take()) return;
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => each.fail(cancelled());
      const done = (): void => {
        signal?.removeEventListener('abort', leave);
        this.waiting.delete(each);
        if (this.waiting.size === 0) this.stop();
      };
      const each: Waiting = {
        start: () => resolve(done()),
        fail: (error) => reject((done(), error)),
      };
      this.waiting.add(each);
      signal?.addEventListener('abort', leave);
      if (!this.alarm) void this.giveTurns((this.alarm = new AbortController()));
    });
  }

  /** Ends the waiting of all with an error that each of them would meet. */
  rejectQueued(error: Error): void {
    for (const each of this.waiting) each.fail(error);
  }

  /** The service said that there were too many requests. Those who wait already are slowed down as well. */
  slowDown(): void {
    const now = this.clock.monotonic();
    if (now - this.slowed < TOGETHER) return;
    this.slowed = now;
    this.interval = Math.max(this.shortest, Math.min(SLOWEST, this.interval * 2));
  }

  /** The service took a request. */
  recover(): void {
    this.interval = this.shortest + (this.interval - this.shortest) * (1 - RECOVERY);
  }

  private get wait(): number {
    return this.last + this.interval - this.clock.monotonic();
  }

  private take(): boolean {
    const { wait } = this;
    if (wait > 0) return false;
    this.last = wait < -GRAIN ? this.clock.monotonic() : this.last + this.interval;
    return true;
  }

  /** The pace may change during a wait, and who came first may go: both are looked at when it is over. */
  private async giveTurns(alarm: AbortController): Promise<void> {
    while (!alarm.signal.aborted) {
      const [first] = this.waiting;
      if (this.take()) first?.start();
      else await this.clock.sleep(this.wait, alarm.signal).catch(() => undefined);
    }
  }

  private stop(): void {
    this.alarm?.abort();
    this.alarm = undefined;
  }
}
