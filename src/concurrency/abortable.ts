/** Waits for work that several callers share, each of which can give up by its signal. */
import { cancelled } from '../errors';

/** Waits for shared work. @throws `cancelled` as soon as the signal is aborted; the work continues */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
