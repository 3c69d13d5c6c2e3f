/**
 * Tokens received since the last deploy. Node-RED saves credentials only with a deploy, and a service may rotate the
 * refresh token with each refresh. Without this journal, the next start of Node-RED would use a revoked token.
 */
import type { StateFile } from '../../shared/runtime/state-file';
import type { CredentialEntry } from './credential-entry';
import { tokenFingerprint } from './credential-entry';

const SECTION = 'tokens';
/** The maximum number of fingerprints of replaced tokens that an entry contains. */
const MAX_REPLACED = 50;

interface JournalEntry {
  entry: CredentialEntry;
  /** Fingerprints of the tokens that this entry replaces. The entry is used only if the saved tokens have one of them. */
  replaces: string[];
}

export class TokenJournal {
  constructor(private readonly state: StateFile) {}

  /** @returns the entry that replaced the saved one; undefined if there is none, or if a user entered other tokens */
  newerThan(id: string, entry: CredentialEntry): CredentialEntry | undefined {
    const stored = this.read(id);
    if (!stored) return undefined;
    if (stored.replaces.includes(tokenFingerprint(entry))) return stored.entry;
    // A deploy has saved these tokens or those of another sign-in, so the journal is outdated.
    this.delete(id);
    return undefined;
  }

  /** @param before the entry whose tokens are replaced */
  append(id: string, before: CredentialEntry, entry: CredentialEntry): void {
    const stored = this.read(id);
    const earlier =
      stored && tokenFingerprint(stored.entry) === tokenFingerprint(before) ? stored.replaces : [];
    const replaces = [...earlier, tokenFingerprint(before)].slice(-MAX_REPLACED);
    void this.state.set(SECTION, id, { entry, replaces });
  }

  delete(id: string): void {
    if (this.read(id)) void this.state.set(SECTION, id, undefined);
  }

  private read(id: string): JournalEntry | undefined {
    const stored = this.state.get(SECTION, id) as Partial<JournalEntry> | undefined;
    return stored?.entry && Array.isArray(stored.replaces) ? (stored as JournalEntry) : undefined;
  }
}
