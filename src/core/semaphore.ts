/** Limits how many operations run at once. */
import { cancelled } from '../errors';
import { onAbort } from './abort';

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

interface Waiter {
  size: number;
  resolve(): void;
  reject(error: Error): void;
}

export class WaitQueue {
  private readonly waiters = new Set<Waiter>();

  /** @param onEmpty called when the last caller has left */
  constructor(private readonly onEmpty: () => void = () => undefined) {}

  get isEmpty(): boolean {
    return this.waiters.size === 0;
  }

  /** The size that the first caller waits for; undefined if no one is waiting. */
  get nextSize(): number | undefined {
    const [first] = this.waiters;
    return first?.size;
  }

  /**
   * Waits for {@link releaseFirst}.
   * @param signal not aborted yet
   * @param size what the caller waits for, such as a number of bytes
   * @throws `cancelled` as soon as the signal is aborted
   */
  wait(signal?: AbortSignal, size = 1): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        stop?.();
        this.waiters.delete(waiter);
        if (this.isEmpty) this.onEmpty();
      };
      const waiter: Waiter = {
        size,
        resolve: () => resolve(leave()),
        reject: (error) => reject((leave(), error)),
      };
      const stop = signal && onAbort(signal, () => waiter.reject(cancelled()));
      this.waiters.add(waiter);
    });
  }

  /** @returns whether someone was waiting */
  releaseFirst(): boolean {
    const [first] = this.waiters;
    first?.resolve();
    return first !== undefined;
  }

  rejectAll(error: Error): void {
    for (const waiter of this.waiters) waiter.reject(error);
  }
}
