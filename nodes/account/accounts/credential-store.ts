/**
 * An account's client secret and tokens in Node-RED's credentials: encrypted on disk, never in flows.json, never in a
 * browser. The tokens of the latest refresh are also in token-journal.ts.
 *
 * It depends on how Node-RED stores credentials:
 * - `addCredentials` replaces an entry in memory, which the next deploy saves. It needs a new object: Node-RED doesn't
 *   notice changes to the object that `getCredentials` returned.
 * - Each deploy deletes the entries of unknown nodes. The node of a sign-in may not be deployed yet, so its tokens are
 *   also stored here and added again after such a deploy.
 * - Members that aren't registered as credentials are saved with the entry and never sent to the editor.
 */
import type { Node, NodeAPI } from 'node-red';
import { BoundedMap, type Tokens } from '../../../src/index';
import { accountValues } from '../settings/account-variable';
import { withEnvironment } from '../../shared/runtime/environment';
import { isReference } from '../../shared/contract/values';
import { type AccountSettings, type AccountValues, isSameClient } from '../settings/settings';
import { type AccountKey, belongsTo } from './account-key';
import {
  type CredentialEntry,
  hasTokens,
  isProvided,
  isSignedOut,
  newest,
  newSignIn,
  refreshed,
  signedOut,
  type SignInInfo,
  type StoredSignIn,
  storedSignIn,
  tokenFingerprint,
  tokensIn,
} from './stored-sign-in';
import type { StateFileProblem } from '../../shared/runtime/state-file';
import type { TokenJournal } from './token-journal';

/** A sign-in whose node has not been deployed since. */
export interface UndeployedSignIn {
  entry: StoredSignIn;
  /**
   * Whether the tokens can be used only after the next deploy, because the deployed account has another client or
   * server. Until then the credentials entry contains the tokens of the deployed account, unless that has no client.
   */
  awaitsDeploy: boolean;
  /** Whether the deployed account uses these tokens. */
  isUsed: boolean;
  /** `''` if tokens can't be revoked. Stored here since the node may not be deployed. */
  revokeUrl: string;
  /** The settings of the sign-in. */
  settings: AccountSettings;
  /** ID of the sign-in that the account used before. */
  replacedId: string;
}

/** The maximum number of sign-ins whose nodes aren't deployed. */
const MAX_UNDEPLOYED = 50;

export class CredentialStore {
  /** By node id. */
  private readonly undeployed = new BoundedMap<string, UndeployedSignIn>(MAX_UNDEPLOYED);

  /**
   * The sign-in that each account uses, by its key, with the members of the entry from which it was chosen. Later, the
   * environment that its references are resolved with may be gone.
   */
  private readonly used = new Map<string, { members: string; signIn: StoredSignIn }>();

  constructor(
    private readonly RED: NodeAPI,
    private readonly journal: TokenJournal,
  ) {}

  /**
   * Chooses the tokens with which an account starts: those of a sign-in that awaited this deploy, or the newest stored
   * ones. Tokens that the user has entered in the form after that sign-in take precedence.
   */
  restore(account: AccountKey, values: AccountValues): Tokens {
    const { id, key } = account;
    const saved = this.savedSignIn(account, values.texts);
    this.journal.adopt(account, saved);
    const current = newest(saved, this.journal.read(key));
    const entry = this.entry(id);
    const awaited = this.takeUndeployed(id, values);
    if (awaited && (isSignedOut(current) || current.signIn.id === awaited.replacedId)) {
      void this.journal.write(key, awaited.entry, current);
      return this.use(account, awaited.entry, { ...entry, ...awaited.entry });
    }
    if (current === saved || isProvided(values.texts, entry) || !mayWrite(account, entry))
      return this.use(account, current);
    return this.use(account, current, { ...entry, ...current });
  }

  /** The sign-in in the entry, which an instance of a subflow uses only with the client and services of the sign-in. */
  private savedSignIn({ id, client }: AccountKey, values: CredentialEntry): StoredSignIn {
    const entry = this.entry(id);
    const { signIn } = entry;
    if (client === undefined || signIn?.since === undefined || signIn.of !== tokenFingerprint(values))
      return storedSignIn(values, entry);
    // Older versions didn't save the client: they used the first instance's sign-in.
    if (signIn.client === undefined) this.write(id, { ...entry, signIn: { ...signIn, client } });
    const isOther = signIn.client !== undefined && signIn.client !== client;
    return storedSignIn(isOther ? { ...values, accessToken: '', refreshToken: '' } : values, entry);
  }

  /**
   * Saves the tokens of a sign-in, for a node that may not be deployed yet. Resolves after the attempt to write them to
   * the disk.
   */
  async saveSignIn(
    accounts: readonly [AccountKey, ...AccountKey[]],
    tokens: Tokens,
    info: SignInInfo,
    options: Omit<UndeployedSignIn, 'entry' | 'replacedId'>,
  ): Promise<void> {
    const [{ id }] = accounts;
    const before = accounts.map((account) => ({ account, signIn: this.current(account) }));
    const signIn = newSignIn(tokens, info);
    const replacedId = this.current(accounts[0]).signIn.id;
    this.undeployed.set(id, { entry: signIn, ...options, replacedId });
    this.listen();
    const entry = { ...this.entry(id), ...signIn };
    if (options.awaitsDeploy) {
      // The deployed account can't use any tokens, so the deploy may already save these.
      if (!entry.clientId) this.write(id, entry);
      return;
    }
    for (const { account } of before) this.use(account, signIn, entry);
    if (!options.isUsed) return;
    await Promise.all(before.map((each) => this.journal.write(each.account.key, signIn, each.signIn)));
  }

  /**
   * Saves refreshed tokens where the tokens before them are stored:
   *
   * | the account uses                     | saved in                                             |
   * | ------------------------------------ | ---------------------------------------------------- |
   * | a sign-in that awaits a deploy       | that sign-in                                         |
   * | a sign-in of a node that is new      | that sign-in, credentials                            |
   * | tokens in the credentials            | credentials; a new refresh token also in the journal |
   * | tokens of the account variable, or   |                                                      |
   * | of the environment of an instance    | journal, if the refresh token is new                 |
   * | other tokens since, or none          | nowhere                                              |
   * @param renewed the refresh token that was used
   */
  saveRefreshed(account: AccountKey, renewed: string, tokens: Tokens): void {
    const { id, key } = account;
    const signIn = this.refreshUndeployed(id, renewed, tokens);
    if (signIn?.awaitsDeploy) return;
    const before = this.current(account);
    if (before.refreshToken !== renewed) return;
    const after = refreshed(before, tokens);
    const isRotated = after.signIn.generation > before.signIn.generation;
    if (isRotated && this.isDeployed(id)) void this.journal.write(key, after, before);
    this.use(account, after, this.refreshedEntry(account, after, isRotated));
  }

  /** @returns the undeployed sign-in that the refresh token belongs to, with its new tokens */
  private refreshUndeployed(id: string, renewed: string, tokens: Tokens): UndeployedSignIn | undefined {
    const undeployed = this.undeployed.get(id);
    if (undeployed?.entry.refreshToken !== renewed) return undefined;
    const after = { ...undeployed, entry: refreshed(undeployed.entry, tokens) };
    this.undeployed.set(id, after);
    return after;
  }

  /** @returns the credentials with the new tokens; undefined if the tokens are those of the environment */
  private refreshedEntry(
    account: AccountKey,
    after: StoredSignIn,
    isRotated: boolean,
  ): CredentialEntry | undefined {
    const entry = this.entry(account.id);
    // They would take precedence over a changed variable if the entry contained them.
    return hasTokens(entry) && mayWrite(account, entry)
      ? { ...entry, ...after, ...references(entry, isRotated) }
      : undefined;
  }

  /** Deletes everything that is stored for a deleted node. */
  delete(account: AccountKey): void {
    const { id } = account;
    this.undeployed.delete(id);
    for (const key of this.used.keys()) if (belongsTo(key, account)) this.used.delete(key);
    this.listen();
    this.journal.delete(account);
    // Node-RED deleted the entry with the deploy, but tokens may have been added during the deploy.
    if (this.RED.nodes.getCredentials(id) !== undefined) this.RED.nodes.deleteCredentials(id);
  }

  /**
   * Deletes the tokens, but not the client ID and secret. The credentials file contains the tokens until the next
   * deploy, so the journal records the sign-out.
   * @returns after the attempt to write it, why it isn't on the disk
   */
  async clearTokens(accounts: readonly [AccountKey, ...AccountKey[]]): Promise<StateFileProblem | undefined> {
    const [{ id }] = accounts;
    const isDeployed = this.isDeployed(id);
    const ends = accounts.map((account) => {
      const before = this.current(account);
      return { account, before, after: isSignedOut(before) ? before : signedOut(before) };
    });
    this.undeployed.delete(id);
    const entry = this.entry(id);
    const { accessToken: _access, refreshToken: _refresh, signIn: _signIn, ...rest } = entry;
    for (const { account, before, after } of ends) {
      if (isDeployed && after !== before) void this.journal.write(account.key, after, before);
    }
    const signIn = ends[0]?.after.signIn;
    const written = isDeployed && signIn ? { ...rest, signIn } : rest;
    for (const { account, after } of ends) this.use(account, after, hasTokens(entry) ? written : undefined);
    await this.journal.flush();
    return this.journal.problem;
  }

  /** The tokens that the account uses, also if it isn't running. */
  tokens(account: AccountKey): Tokens {
    return tokensIn(this.current(account));
  }

  /** @returns the sign-in of a node that hasn't been deployed since */
  undeployedSignIn(id: string): UndeployedSignIn | undefined {
    return this.undeployed.get(id);
  }

  /** The stored entry, with unresolved references to environment variables. */
  entry(id: string): CredentialEntry {
    return { ...(this.RED.nodes.getCredentials(id) as CredentialEntry | undefined) };
  }

  /** Time of the sign-in of the account's tokens, ms since 1970; undefined if they were entered in the form. */
  signedInAt(account: AccountKey): number | undefined {
    const at = Date.parse(this.current(account).signIn.since ?? '');
    return Number.isNaN(at) ? undefined : at;
  }

  /** The stored entry, with the tokens of a sign-in that awaits a deploy if there is one. */
  latestEntry(id: string): CredentialEntry {
    const signIn = this.undeployed.get(id);
    return { ...this.entry(id), ...(signIn?.awaitsDeploy ? signIn.entry : {}) };
  }

  /** The node is deployed now. @returns a sign-in that awaited that */
  private takeUndeployed(id: string, values: AccountValues): UndeployedSignIn | undefined {
    const undeployed = this.undeployed.get(id);
    const { awaitsDeploy = false } = undeployed ?? {};
    if (undeployed && awaitsDeploy && !isSameClient(undeployed.settings, values)) return undefined;
    this.undeployed.delete(id);
    return awaitsDeploy ? undeployed : undefined;
  }

  private current({ id, key, isOwn }: AccountKey): StoredSignIn {
    const entry = this.entry(id);
    const used = this.used.get(key);
    // The entry lacks the environment of an instance.
    if (used && (isOwn || used.members === tokenMembers(entry))) return used.signIn;
    return newest(storedSignIn(this.resolved(id), entry), this.journal.read(key));
  }

  /** @param written the new entry, if it changes */
  private use({ id, key }: AccountKey, signIn: StoredSignIn, written?: CredentialEntry): Tokens {
    if (written) this.write(id, written);
    this.used.set(key, { members: tokenMembers(written ?? this.entry(id)), signIn });
    return tokensIn(signIn);
  }

  /** False for a sign-in of a node that is new. Without an undeployed sign-in, the account was deployed. */
  private isDeployed(id: string): boolean {
    const { isUsed, awaitsDeploy } = this.undeployed.get(id) ?? { isUsed: true, awaitsDeploy: false };
    return isUsed || awaitsDeploy;
  }

  /** The stored entry with environment variables resolved, as {@link restore} receives it. */
  private resolved(id: string): CredentialEntry {
    const node = (this.RED.nodes.getNode(id) as Node | null) ?? undefined;
    const credentials = withEnvironment(this.RED, { ...this.entry(id) }, node);
    return accountValues(this.RED, { config: {}, credentials }, node).texts;
  }

  private write(id: string, entry: CredentialEntry): void {
    void this.RED.nodes.addCredentials(id, entry);
  }

  /** Listens only while needed: Node-RED may load the module more than once. */
  private listen(): void {
    this.RED.events.removeListener('flows:started', this.onFlowsStarted);
    if (this.undeployed.size > 0) this.RED.events.on('flows:started', this.onFlowsStarted);
  }

  private readonly onFlowsStarted = (): void => {
    const deployed = new Set<string>();
    this.RED.nodes.eachNode(({ id }) => deployed.add(id));
    for (const [id, { entry, awaitsDeploy }] of this.undeployed) {
      if (awaitsDeploy) continue;
      // The deploy has saved the entry. From now on the form's values take precedence.
      if (deployed.has(id)) this.undeployed.delete(id);
      else this.write(id, { ...this.entry(id), ...entry });
    }
    this.listen();
  };
}

/** Identifies the tokens in an entry, to notice that something else has changed them. */
function tokenMembers({ accessToken, refreshToken, signIn }: CredentialEntry): string {
  return JSON.stringify([accessToken, refreshToken, signIn?.id, signIn?.generation]);
}

/** Whether the entry may contain the account's tokens: the environment of an instance decides who else uses them. */
function mayWrite({ ownsEntry, client }: AccountKey, entry: CredentialEntry): boolean {
  const { signIn } = entry;
  return (
    ownsEntry || (client !== undefined && signIn?.client === client && signIn.of === tokenFingerprint(entry))
  );
}

/** References to environment variables stay references, except to a refresh token that was replaced. */
function references({ accessToken, refreshToken }: CredentialEntry, isRotated: boolean): CredentialEntry {
  return {
    ...(isReference(accessToken) ? { accessToken } : {}),
    ...(isReference(refreshToken) && !isRotated ? { refreshToken } : {}),
  };
}
