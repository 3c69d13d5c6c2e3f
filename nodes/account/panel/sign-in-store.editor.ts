/** Which sign-in of an account this browser tab waits for, also after a reload. Its id alone opens nothing for long. */

const key = (accountId: string): string => `cloud-drive-sign-in:${accountId}`;

export function keepSession(accountId: string, session: string): void {
  withStorage((storage) => storage.setItem(key(accountId), session));
}

export function keptSession(accountId: string): string | undefined {
  return withStorage((storage) => storage.getItem(key(accountId))) ?? undefined;
}

export function forgetSession(accountId: string): void {
  withStorage((storage) => storage.removeItem(key(accountId)));
}

/** A browser may forbid it; then a reload forgets. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(window.sessionStorage);
  } catch {
    return undefined;
  }
}
