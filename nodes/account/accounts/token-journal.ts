/**
 * The latest sign-in of each account, encrypted in `.cloud-drive-state` in Node-RED's user directory (state-file.ts).
 * Node-RED saves credentials only with a deploy, and a service may rotate the refresh token with each refresh. Without
 * this journal, the next start of Node-RED could use a revoked token.
 *
 * An entry stays until its account is deleted: even a deploy that saves the tokens doesn't make it superfluous, because
 * an older credentials file may be restored.
 */
import { isArrayOf, isObject, isObjectOf, isString } from '../../../src/index';
import { adoptState } from '../../shared/runtime/node-red-state';
import type { StateFile, StateFileProblem } from '../../shared/runtime/state-file';
import { type AccountKey, belongsTo } from './account-key';
import {
  type CredentialEntry,
  isSignedOut,
  type JournaledSignIn,
  type StoredSignIn,
  storedSignIn,
} from './stored-sign-in';

const SECTION = 'tokens';
/** The maximum number of earlier sign-ins that an entry contains. */
const MAX_REPLACED = 200;

interface JournalEntry {
  entry: CredentialEntry;
  /**
   * IDs of earlier sign-ins. Older versions of this package saved fingerprints of earlier tokens, which are their IDs.
   */
  replaces: string[];
}

const isEntry = isObjectOf<JournalEntry>({
  entry: isObject,
  replaces: isArrayOf(isString),
});

function parseEntry(value: unknown): JournaledSignIn | undefined {
  return isEntry(value) ? { ...storedSignIn(value.entry), replaces: value.replaces } : undefined;
}

export class TokenJournal {
  constructor(private readonly state: StateFile) {}

  read(key: string): JournaledSignIn | undefined {
    return parseEntry(this.state.get(SECTION, key));
  }

  /**
   * Takes over the sign-in that is stored under a former key. Under the ID alone, it may be that of another node in
   * other flows: it goes to the one whose credentials contain an earlier state of it, or, as an account that was signed
   * in without a deploy has no tokens there, to one without tokens. Of other flows, only a later state of the same
   * sign-in is taken over: it is the same user's.
   * @param saved the sign-in in the credentials
   */
  adopt({ key, isOwn }: AccountKey, saved: StoredSignIn): void {
    if (this.read(key)) return;
    adoptState(this.state, [SECTION, key], (value, isOlderVersion) => {
      const stored = parseEntry(value);
      if (!stored) return undefined;
      const { id, generation } = (this.read(key) ?? saved).signIn;
      if (!isOlderVersion) {
        const isLater = stored.signIn.id === id && stored.signIn.generation > generation;
        return isLater && !isSignedOut(stored) ? { value, isMoved: false } : undefined;
      }
      const isKnown = isSameSignIn(stored, saved.signIn.id);
      return isKnown || (!isOwn && saved.signIn.id === '') ? { value, isMoved: isKnown } : undefined;
    });
  }

  /** Resolves after the attempt to write it. @param before the sign-in that the account used until now */
  write(
    key: string,
    { accessToken, refreshToken, signIn }: StoredSignIn,
    before: StoredSignIn,
  ): Promise<void> {
    const journaled = this.read(key);
    const earlier = [...(journaled?.replaces ?? []), journaled?.signIn.id ?? '', before.signIn.id];
    const replaces = [...new Set(earlier)].filter((each) => each !== '' && each !== signIn.id);
    const entry: CredentialEntry = { accessToken, refreshToken, signIn };
    return this.state.set(SECTION, key, { entry, replaces: replaces.slice(-MAX_REPLACED) });
  }

  /** Why the last change isn't on disk. */
  get problem(): StateFileProblem | undefined {
    return this.state.problem;
  }

  /** Resolves when all entries are on disk, or when the attempt has failed. */
  flush(): Promise<void> {
    return this.state.flush();
  }

  /** Deletes the sign-ins of an account and of its instances in subflows. */
  delete(account: AccountKey): void {
    const [own, older] = [this.read(account.key), this.read(account.id)];
    if (own && older && isSameSignIn(own, older.signIn.id))
      void this.state.set(SECTION, account.id, undefined);
    for (const [key] of this.state.entries(SECTION))
      if (belongsTo(key, account)) void this.state.set(SECTION, key, undefined);
  }
}

function isSameSignIn({ signIn, replaces }: JournaledSignIn, id: string): boolean {
  return signIn.id === id || replaces.includes(id);
}
