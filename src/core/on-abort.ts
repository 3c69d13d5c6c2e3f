/**
 * Listens to a signal that many requests share, such as the one of a synchronization.
 *
 * Node links the listeners of an event, and a removed listener keeps its link to the next one. Once V8 has moved a
 * removed one to the old generation, it keeps all later ones, and everything they refer to, until the next full garbage
 * collection. Therefore each signal has a single listener at a time.
 */

type Callback = () => void;

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
