/** Limits how many operations run at once. */
import { cancelled } from '../errors';
import { WaitQueue } from './wait-queue';

export class Semaphore {
  private available: number;
  private readonly queue = new WaitQueue();

  constructor(readonly permits: number) {
    this.available = permits;
  }

  /** Runs `work` as soon as a permit is available, in order of arrival. @throws `cancelled` if aborted while waiting */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.acquire(signal);
    try {
      return await work();
    } finally {
      if (!this.queue.releaseFirst()) this.available += 1;
    }
  }

  private async acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled();
    if (this.available > 0) this.available -= 1;
    else await this.queue.wait(signal);
  }
}
