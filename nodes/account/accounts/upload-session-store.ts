/**
 * Saves upload sessions in the encrypted state file, so that uploads resume after a restart. A session belongs to the
 * account and the sign-in that started it: another user must not resume it or write to that user's drive.
 */
import {
  type Clock,
  SESSION_LIFETIME,
  type SessionStore,
  isNumber,
  isObjectOf,
  isString,
  systemClock,
} from '../../../src/index';
import { type AccountKey, belongsTo } from './account-key';
import { type Adopted, adoptState } from '../../shared/runtime/node-red-state';
import type { StateFile } from '../../shared/runtime/state-file';

const SECTION = 'uploads';
/** For all accounts together. Each takes about 600 bytes of a file that is written as a whole. */
const MAX_SESSIONS = 500;

/** The stored format, which later versions have to read too. */
interface StoredSession {
  /** Key of the account. */
  account: string;
  /** Fingerprint of the tokens that the session was started with. */
  of: string;
  /** ms since 1970 */
  at: number;
  value?: unknown;
}

const isStoredSession = isObjectOf<StoredSession>({ account: isString, of: isString, at: isNumber });

export class UploadSessionStore {
  constructor(
    private readonly state: StateFile,
    private readonly clock: Clock = systemClock,
  ) {}

  /** @param fingerprint returns the fingerprint of the account's current tokens */
  forAccount({ key: account }: AccountKey, fingerprint: () => string): SessionStore {
    // A session URL grants write access, so an expired one is removed even if nothing is uploaded any more.
    this.removeExpired();
    this.adopt(account, fingerprint());
    return {
      get: (key) => {
        const stored = this.state.get(SECTION, `${account} ${key}`);
        return isStoredSession(stored) && stored.of === fingerprint() ? stored.value : undefined;
      },
      set: (key, value) => {
        const session: StoredSession = { account, of: fingerprint(), at: this.clock.now(), value };
        const stored = value === undefined ? undefined : session;
        const saved = this.state.set(SECTION, `${account} ${key}`, stored);
        this.removeExpired();
        return saved;
      },
    };
  }

  /** Keeps the sessions usable after a token refresh by the same user. @param from, to token fingerprints */
  rebind({ key: account }: AccountKey, from: string, to: string): void {
    if (from === to) return;
    for (const [key, stored] of this.entries()) {
      if (stored?.of === from && stored.account === account) {
        void this.state.set(SECTION, key, { ...stored, of: to });
      }
    }
  }

  /** Older versions stored the sessions of all nodes with the same ID under the same key. */
  private adopt(account: string, fingerprint: string): void {
    const take = (stored: unknown, isOlderVersion: boolean): Adopted | undefined =>
      isOlderVersion && isStoredSession(stored) && stored.of === fingerprint
        ? { value: { ...stored, account }, isMoved: true }
        : undefined;
    const ownerOf = (_: string, stored: unknown): string => (isStoredSession(stored) ? stored.account : '');
    adoptState(this.state, [SECTION, account], take, ownerOf);
  }

  /** Removes the sessions of a deleted account and of its instances in subflows. */
  delete(account: AccountKey): void {
    for (const [key, stored] of this.entries()) {
      if (stored && belongsTo(stored.account, account)) void this.state.set(SECTION, key, undefined);
    }
  }

  /** Also removes the oldest ones above the limit, and values that another version has stored. */
  private removeExpired(): void {
    const expired = this.clock.now() - SESSION_LIFETIME;
    const entries = this.entries();
    const newestFirst = entries
      .flatMap(([key, stored]) => (stored && stored.at > expired ? { key, at: stored.at } : []))
      .sort((a, b) => b.at - a.at);
    const valid = new Set(newestFirst.slice(0, MAX_SESSIONS).map(({ key }) => key));
    for (const [key] of entries) {
      if (!valid.has(key)) void this.state.set(SECTION, key, undefined);
    }
  }

  /** Undefined for a value that another version has stored. */
  private entries(): [string, StoredSession | undefined][] {
    return this.state
      .entries(SECTION)
      .map(([key, value]) => [key, isStoredSession(value) ? value : undefined]);
  }
}
