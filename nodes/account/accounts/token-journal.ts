/**
 * Tokens that came after the last deploy. Node-RED saves credentials with a deploy only, and a service may give a new
 * refresh token with each refresh and end the old one: without this, the next start of Node-RED would use a dead one.
 */
import type { StateFile } from '../../shared/runtime/state-file';
import type { CredentialEntry } from './credential-entry';
import { tokenFingerprint } from './credential-entry';

const SECTION = 'tokens';
/** Tokens in a row that a file of credentials may be behind. */
const MOST_REPLACED = 50;

interface Kept {
  entry: CredentialEntry;
  /** Marks of the tokens that these came after: only an account that still has one of them goes on with them. */
  replaces: string[];
}

export class TokenJournal {
  constructor(private readonly state: StateFile) {}

  /** @returns what came after the tokens of an entry; undefined where nothing did, or others were put there since */
  newerThan(id: string, entry: CredentialEntry): CredentialEntry | undefined {
    const kept = this.kept(id);
    if (!kept) return undefined;
    if (kept.replaces.includes(tokenFingerprint(entry))) return kept.entry;
    // The credentials have been saved with these, or with another's.
    this.delete(id);
    return undefined;
  }

  /** @param before the entry whose tokens are replaced */
  append(id: string, before: CredentialEntry, entry: CredentialEntry): void {
    const kept = this.kept(id);
    const earlier = kept && tokenFingerprint(kept.entry) === tokenFingerprint(before) ? kept.replaces : [];
    const replaces = [...earlier, tokenFingerprint(before)].slice(-MOST_REPLACED);
    void this.state.set(SECTION, id, { entry, replaces });
  }

  delete(id: string): void {
    if (this.kept(id)) void this.state.set(SECTION, id, undefined);
  }

  private kept(id: string): Kept | undefined {
    const kept = this.state.get(SECTION, id) as Partial<Kept> | undefined;
    return kept?.entry && Array.isArray(kept.replaces) ? (kept as Kept) : undefined;
  }
}
