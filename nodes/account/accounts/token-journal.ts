/**
 * The latest sign-in of each account, encrypted in `.cloud-drive-state` in Node-RED's user directory (state-file.ts).
 * Node-RED saves credentials only with a deploy, and a service may rotate the refresh token with each refresh. Without
 * this journal, the next start of Node-RED could use a revoked token.
 *
 * An entry stays until its account is deleted: even a deploy that saves the tokens doesn't make it superfluous, because
 * an older credentials file may be restored.
 */
import type { StateFile, StateFileProblem } from '../../shared/runtime/state-file';
import { type AccountKey, belongsTo } from './account-key';
import type { CredentialEntry } from './credential-entry';
import { type JournaledSignIn, type StoredSignIn, isSignedOut, storedSignIn } from './stored-sign-in';

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

export class TokenJournal {
  constructor(private readonly state: StateFile) {}

  read(key: string): JournaledSignIn | undefined {
    const stored = this.state.get(SECTION, key) as Partial<JournalEntry> | undefined;
    if (!stored?.entry || !Array.isArray(stored.replaces)) return undefined;
    return { ...storedSignIn(stored.entry), replaces: stored.replaces };
  }

  /**
   * Older versions stored the latest sign-in of any node with the ID, in any flows: it goes to the one whose credentials
   * contain an earlier state of it. An account that was signed in without a deploy has no tokens in its credentials.
   * @param saved the sign-in in the credentials
   */
  adopt({ id, key, isOwn }: AccountKey, saved: StoredSignIn): void {
    if (key === id || this.read(key)) return;
    const stored = this.read(id);
    if (!stored) return this.adoptOfOtherFlows(key, saved);
    const isKnown = isSameSignIn(stored, saved.signIn.id);
    if (!isKnown && (isOwn || saved.signIn.id !== '')) return;
    void this.state.set(SECTION, key, this.state.get(SECTION, id));
    if (isKnown) void this.state.set(SECTION, id, undefined);
  }

  /**
   * After the flow file or the project was renamed, or flows were moved into a project, the tokens in the credentials may
   * have been replaced by those that are stored for the flows before. Only of the same sign-in: it is the same user's.
   */
  private adoptOfOtherFlows(key: string, { signIn: { id, generation } }: StoredSignIn): void {
    const [node, , instance] = key.split(' ');
    const renewed = this.state.entries(SECTION).flatMap(([other]) => {
      const [otherNode, , otherInstance] = other.split(' ');
      const stored = otherNode === node && otherInstance === instance ? this.read(other) : undefined;
      const isSame = stored?.signIn.id === id && !isSignedOut(stored);
      return isSame && stored.signIn.generation > generation ? [{ other, stored }] : [];
    });
    const [latest] = renewed.sort((a, b) => b.stored.signIn.generation - a.stored.signIn.generation);
    if (latest) void this.state.set(SECTION, key, this.state.get(SECTION, latest.other));
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
