/** Callers that wait in order of arrival, each of which may give up. */
import { cancelled } from '../errors';
import { onAbort } from './on-abort';

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
