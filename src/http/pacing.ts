/**
 * How fast requests may start, and how many transfers run at once. One of each per account, in order of arrival.
 */
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** After a rate answer the pace is halved, but never below one request in this many ms. */
const SLOWEST = 10_000;
/** Each request that went well takes away this part of the slowing down. */
const RECOVERY = 0.05;

export class Pacing {
  private readonly shortest: number;
  private interval: number;
  private nextStart = 0;

  constructor(
    requestsPerSecond: number,
    private readonly clock: Clock,
  ) {
    this.shortest = 1_000 / requestsPerSecond;
    this.interval = this.shortest;
  }

  /** Resolves when the next request may start. Callers get their turns in the order in which they called. */
  async turn(signal?: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const start = Math.max(now, this.nextStart);
    this.nextStart = start + this.interval;
    if (start > now) await this.clock.sleep(start - now, signal);
  }

  /** The service said that there were too many requests. */
  slowDown(): void {
    this.interval = Math.min(SLOWEST, this.interval * 2);
  }

  /** The service took a request. */
  recover(): void {
    this.interval = this.shortest + (this.interval - this.shortest) * (1 - RECOVERY);
  }
}

/** A number of places; who finds none waits in order. */
export class Places {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly count: number) {}

  /** Runs `work` as soon as a place is free. @throws `cancelled` when the signal ends the waiting */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.take(signal);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.taken -= 1;
    }
  }

  private async take(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    if (this.taken < this.count) {
      this.taken += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(give), 1);
        reject(cancelled());
      };
      this.waiting.push(give);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}
