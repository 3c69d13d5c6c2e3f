/** How many bytes a second all transfers of an account move together. Each takes before it sends or keeps what came. */
import { cancelled } from '../errors';
import type { Clock } from '../types';

/** ms of the line that one turn gets: small, so that a slow line flows evenly and several transfers share it. */
const TURN = 50;
/** ms that may be made up for after a late timer, or after a while in which nothing moved. */
const BURST = 200;

interface Waiting {
  bytes: number;
  start(): void;
}

export class BandwidthLimiter {
  /** What one turn takes at most; more is taken in several. Bytes; Infinity where there is no limit. */
  readonly chunkSize: number;
  /** Where the line is free again, in monotonic ms. */
  private free = -Infinity;
  /** In order of arrival; who has had a turn and wants more is last, so that each gets the same. */
  private waiting: Waiting[] = [];
  private isServing = false;

  /** @param bytesPerSecond 0: no limit */
  constructor(
    private readonly bytesPerSecond: number,
    private readonly clock: Clock,
  ) {
    this.chunkSize =
      bytesPerSecond > 0
        ? Math.max(1, Math.floor((bytesPerSecond * TURN) / 1_000))
        : Number.POSITIVE_INFINITY;
  }

  /** Where nothing is limited, nobody needs to ask. */
  get isLimited(): boolean {
    return this.bytesPerSecond > 0;
  }

  /** Resolves when so many bytes may move. @throws `cancelled` as soon as the signal is aborted */
  async acquire(bytes: number, signal?: AbortSignal): Promise<void> {
    if (!this.isLimited) return;
    for (let left = bytes; left > 0; left -= this.chunkSize)
      await this.turn(Math.min(left, this.chunkSize), signal);
  }

  private async turn(bytes: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.waiting = this.waiting.filter((each) => each !== mine);
        reject(cancelled());
      };
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const mine = { bytes, start };
      this.waiting.push(mine);
      signal?.addEventListener('abort', leave);
      if (!this.isServing) void this.serve();
    });
  }

  /** Who is first may leave during the wait, so it is looked at when that is over. */
  private async serve(): Promise<void> {
    this.isServing = true;
    for (let [first] = this.waiting; first; [first] = this.waiting) {
      const now = this.clock.monotonic();
      if (this.free > now) {
        await this.clock.sleep(this.free - now);
        continue;
      }
      this.waiting.shift();
      this.free = Math.max(this.free, now - BURST) + (first.bytes * 1_000) / this.bytesPerSecond;
      first.start();
    }
    this.isServing = false;
  }
}
