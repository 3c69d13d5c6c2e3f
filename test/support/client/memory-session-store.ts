import type { SessionStore } from '../../../src/index';

/** Saves upload sessions as JSON, as the state file does, so that they outlive a client. */
export class MemorySessionStore implements SessionStore {
  /** JSON text by key. */
  readonly saved = new Map<string, string>();

  get(key: string): unknown {
    const text = this.saved.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.saved.delete(key);
    else this.saved.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}
