/** Counts the requests of a simulated day by the time at which they arrived. */
import type { RecordedRequest } from '../local-drive';
import { unitsOf } from '../support/quota-units';

export interface DayCounts {
  /** The highest number of token requests of one machine in one hour, without those whose responses were lost. */
  tokensPerHour: number;
  /** Of all machines in the day. */
  tokens: number;
  requests: number;
  /** Requests in the busiest second and minute, and quota units in the latter. */
  perSecond: number;
  perMinute: number;
  unitsPerMinute: number;
}

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

export class DayCounter {
  private tokens = 0;
  private requests = 0;
  /** By machine and hour. */
  private readonly tokenHours = new Map<string, number>();
  private readonly seconds = new Map<number, number>();
  private readonly minutes = new Map<number, number>();
  private readonly units = new Map<number, number>();

  add(machine: number, all: readonly RecordedRequest[]): void {
    for (const request of all) {
      const { receivedAt, path, status } = request;
      if (path === '/token') {
        this.tokens += 1;
        if (status !== undefined) increase(this.tokenHours, `${machine} ${Math.floor(receivedAt / HOUR)}`);
        continue;
      }
      this.requests += 1;
      increase(this.seconds, Math.floor(receivedAt / SECOND));
      increase(this.minutes, Math.floor(receivedAt / MINUTE));
      increase(this.units, Math.floor(receivedAt / MINUTE), unitsOf(request));
    }
  }

  result(): DayCounts {
    return {
      tokensPerHour: highest(this.tokenHours),
      tokens: this.tokens,
      requests: this.requests,
      perSecond: highest(this.seconds),
      perMinute: highest(this.minutes),
      unitsPerMinute: highest(this.units),
    };
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function highest(counts: Map<unknown, number>): number {
  return Math.max(...counts.values());
}
