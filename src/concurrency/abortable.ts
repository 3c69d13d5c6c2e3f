/** Waiting for work that others wait for too: who leaves by a signal leaves it to them. */
import { cancelled } from '../errors';

/** Waits for shared work. @throws `cancelled` as soon as the signal is aborted; the work goes on */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(cancelled());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
