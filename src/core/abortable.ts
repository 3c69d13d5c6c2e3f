/** Lets a caller stop waiting for work that it shares with other callers. */
import { cancelled } from '../errors';
import { onAbort } from './on-abort';

/** @throws `cancelled` as soon as the signal is aborted; the work continues for the other callers */
export function abortable<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    const stop = onAbort(signal, abort);
    void work.then(resolve, reject).finally(stop);
  });
}
