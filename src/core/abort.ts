/** Listens to signals, and stops waiting for work when they are aborted. */
import { cancelled } from '../errors';
import type { Clock } from '../types';

type Callback = () => void;

/**
 * The only listener of a signal that many requests share. Node links the listeners of an event, and a removed one keeps
 * its link to the next one. Once V8 has moved it to the old generation, it keeps all later ones, and everything they
 * refer to, until the next full garbage collection.
 */
class SharedListener {
  private readonly slots: (Callback | undefined)[] = [];
  private used = 0;
  private readonly abort = (): void => {
    this.end();
    for (const [index, callback] of this.slots.entries()) {
      // One callback may remove another.
      this.slots[index] = undefined;
      callback?.();
    }
  };

  constructor(private readonly signal: AbortSignal) {}

  add(callback: Callback): () => void {
    const free = this.slots.indexOf(undefined);
    const index = free < 0 ? this.slots.length : free;
    this.slots[index] = callback;
    if (this.used++ === 0) this.start();
    return () => {
      if (this.slots[index] !== callback) return;
      this.slots[index] = undefined;
      if (--this.used === 0) this.end();
    };
  }

  private start(): void {
    listeners.set(this.signal, this);
    this.signal.addEventListener('abort', this.abort);
  }

  private end(): void {
    listeners.delete(this.signal);
    this.signal.removeEventListener('abort', this.abort);
  }
}

const listeners = new WeakMap<AbortSignal, SharedListener>();

/**
 * @param signal not aborted yet
 * @returns removes the callback
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  return (listeners.get(signal) ?? new SharedListener(signal)).add(callback);
}

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

/** Resolves when the work has ended, or after this time. @param work never rejected. @param ms */
export async function waitAtMost(ms: number, work: Promise<unknown>, clock: Clock): Promise<void> {
  const ended = new AbortController();
  const timeout = clock.sleep(ms, ended.signal).catch(() => undefined);
  await Promise.race([work, timeout]);
  ended.abort();
}
