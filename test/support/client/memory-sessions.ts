import type { SessionStore } from '../../../src/index';

/** Upload sessions that outlive a client, as the nodes' state file lets them: nothing but JSON comes back. */
export class MemorySessions implements SessionStore {
  readonly kept = new Map<string, string>();

  get(key: string): unknown {
    const text = this.kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(key: string, value: unknown): Promise<void> {
    if (value === undefined) this.kept.delete(key);
    else this.kept.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}
