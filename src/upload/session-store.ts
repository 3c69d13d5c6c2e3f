/**
 * Where upload sessions outlive the process. Whoever has a session's address can write the file, so whoever keeps
 * them keeps them encrypted, and gives them to the same account only.
 */
export interface SessionStore {
  /** @returns the JSON value that was set, undefined where there is none, or none any more */
  get(key: string): unknown;
  /** Keeps a JSON value; undefined forgets it. Resolves when it is kept, or can't be; never rejects. */
  set(key: string, value: unknown): Promise<void>;
}

/** For clients whose uploads begin anew after a restart. */
export class NoSessions implements SessionStore {
  get(): undefined {
    return undefined;
  }

  set(): Promise<void> {
    return Promise.resolve();
  }
}
