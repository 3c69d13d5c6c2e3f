/** Limits the bytes per second of all transfers of an account together. */
import { cancelled } from '../errors';
import type { Clock } from '../types';
import { WaitQueue } from './semaphore';

/** ms of bandwidth per chunk. Short chunks let transfers share the bandwidth evenly. */
const CHUNK_TIME = 50;
/** ms of unused bandwidth that may be used later, after a late timer or a pause. */
const MAX_BURST = 200;

export class BandwidthLimiter {
  /** Bytes; larger amounts are acquired in several chunks. Infinity without a limit. */
  readonly chunkSize: number;
  /** Monotonic time at which the bytes acquired so far have passed. */
  private busyUntil = -Infinity;
  /** After each chunk a caller queues again, so that all transfers get the same share. */
  private readonly queue = new WaitQueue();
  private isServing = false;

  /** @param bytesPerSecond 0 for no limit */
  constructor(
    private readonly bytesPerSecond: number,
    private readonly clock: Clock,
  ) {
    this.chunkSize =
      bytesPerSecond > 0
        ? Math.max(1, Math.floor((bytesPerSecond * CHUNK_TIME) / 1_000))
        : Number.POSITIVE_INFINITY;
  }

  /** Without a limit, `acquire` need not be called. */
  get isLimited(): boolean {
    return this.bytesPerSecond > 0;
  }

  /** Resolves when so many bytes may be transferred. @throws `cancelled` as soon as the signal is aborted */
  async acquire(bytes: number, signal?: AbortSignal): Promise<void> {
    if (!this.isLimited) return;
    for (let remaining = bytes; remaining > 0; remaining -= this.chunkSize) {
      if (signal?.aborted) throw cancelled();
      const chunk = this.queue.wait(signal, Math.min(remaining, this.chunkSize));
      if (!this.isServing) void this.serve();
      await chunk;
    }
  }

  /** The first caller may give up during the sleep, so the queue is read again after it. */
  private async serve(): Promise<void> {
    this.isServing = true;
    for (let size = this.queue.nextSize; size !== undefined; size = this.queue.nextSize) {
      const now = this.clock.monotonic();
      if (this.busyUntil > now) {
        await this.clock.sleep(this.busyUntil - now);
        continue;
      }
      this.busyUntil = Math.max(this.busyUntil, now - MAX_BURST) + (size * 1_000) / this.bytesPerSecond;
      this.queue.releaseFirst();
    }
    this.isServing = false;
  }
}
