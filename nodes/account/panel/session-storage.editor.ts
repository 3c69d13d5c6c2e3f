/** Stores which sign-in session of an account this browser tab is waiting for, so that a reload can continue it. */

const key = (accountId: string): string => `cloud-drive-sign-in:${accountId}`;

export function storeSessionId(accountId: string, sessionId: string): void {
  withStorage((storage) => storage.setItem(key(accountId), sessionId));
}

export function storedSessionId(accountId: string): string | undefined {
  return withStorage((storage) => storage.getItem(key(accountId))) ?? undefined;
}

export function removeSessionId(accountId: string): void {
  withStorage((storage) => storage.removeItem(key(accountId)));
}

/** If the browser forbids storage, a reload loses the session. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(window.sessionStorage);
  } catch {
    return undefined;
  }
}
