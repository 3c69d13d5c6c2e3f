/** Limits how many operations run at once; the others wait in order of arrival. */
import { cancelled } from '../errors';

/** A number of places; who finds none waits in order. */
export class Semaphore {
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
      signal?.addEventListener('abort', leave);
    });
  }
}
