/**
 * Upload sessions that outlive a restart, in the encrypted state file. Each belongs to the account that began it and to
 * its sign-in: another person's must not go on with it, nor write to that drive.
 */
import { type Clock, type SessionStore, systemClock } from '../../../src/index';
import type { StateFile } from '../../shared/runtime/state-file';

const SECTION = 'uploads';
/** ms. The service ends a session after a week. */
const LIFETIME = 7 * 24 * 3_600_000;
/** Of all accounts together; each is about 600 bytes of a file that is written whole. */
const MOST = 500;

interface Kept {
  account: string;
  /** Marks the tokens it was begun with. */
  of: string;
  /** ms since 1970 */
  at: number;
  value: unknown;
}

export class UploadSessionStore {
  constructor(
    private readonly state: StateFile,
    private readonly clock: Clock = systemClock,
  ) {}

  /** @param mark of the account's tokens, as they are now */
  forAccount(account: string, mark: () => string): SessionStore {
    // An address is a key: it doesn't outlive its use on the disk because nothing more is uploaded.
    this.sweep();
    const full = (key: string): string => `${account} ${key}`;
    return {
      get: (key) => {
        const kept = this.state.get(SECTION, full(key));
        return isKept(kept) && kept.of === mark() ? kept.value : undefined;
      },
      set: (key, value) => {
        const kept: Kept = { account, of: mark(), at: this.clock.now(), value };
        const done = this.state.set(SECTION, full(key), value === undefined ? undefined : kept);
        this.sweep();
        return done;
      },
    };
  }

  /** The same person's tokens are others now. */
  rebind(account: string, from: string, to: string): void {
    if (from === to) return;
    for (const [key, kept] of this.all()) {
      if (kept?.account === account && kept.of === from) {
        void this.state.set(SECTION, key, { ...kept, of: to });
      }
    }
  }

  /** The account is gone for good. */
  delete(account: string): void {
    for (const [key, kept] of this.all()) {
      if (kept?.account === account) void this.state.set(SECTION, key, undefined);
    }
  }

  private sweep(): void {
    const oldest = this.clock.now() - LIFETIME;
    const all = this.all();
    const byAge = all
      .filter(([, kept]) => kept !== undefined && kept.at > oldest)
      .sort(([, a], [, b]) => (b?.at ?? 0) - (a?.at ?? 0));
    const staying = new Set(byAge.slice(0, MOST).map(([key]) => key));
    for (const [key] of all) {
      if (!staying.has(key)) void this.state.set(SECTION, key, undefined);
    }
  }

  /** What another version has written is undefined, and goes with the next sweep. */
  private all(): [string, Kept | undefined][] {
    return this.state.entries(SECTION).map(([key, value]) => [key, isKept(value) ? value : undefined]);
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const { account, of, at } = value as Partial<Kept>;
  return typeof account === 'string' && typeof of === 'string' && typeof at === 'number';
}
