/**
 * An account's tokens in Node-RED's credentials: encrypted on disk, never in flows.json, never in a browser.
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
import type { CredentialEntry, SignInInfo } from './credential-entry';
import type { TokenJournal } from './token-journal';
import { withEnvironment } from '../settings/environment';
import { type Properties, isReference } from '../settings/properties';
import { type AccountSettings, isSameClient } from '../settings/settings';
import { toEntry, hasTokens, signInInfo, tokenFingerprint, tokensIn } from './credential-entry';

/** A sign-in whose node has not been deployed since. */
export interface UndeployedSignIn {
  entry: CredentialEntry;
  /**
   * Whether the tokens can be used only after the next deploy, because the deployed account has another client or server.
   * Until then the credentials entry contains the tokens of the deployed account.
   */
  awaitsDeploy: boolean;
  /** Whether the deployed account uses these tokens. */
  isUsed: boolean;
  /** `''` if tokens can't be revoked. Stored here since the node may not be deployed. */
  revokeUrl: string;
  /** The settings of the sign-in. */
  settings: AccountSettings;
  /** Fingerprint of the tokens that the credentials entry contained before the sign-in. */
  replacedFingerprint: string;
}

/** The maximum number of sign-ins whose nodes aren't deployed. */
const MAX_UNDEPLOYED = 50;

export class CredentialStore {
  /** By node id. */
  private readonly undeployed = new BoundedMap<string, UndeployedSignIn>(MAX_UNDEPLOYED);

  constructor(
    private readonly RED: NodeAPI,
    private readonly journal: TokenJournal,
  ) {}

  /**
   * Chooses the tokens with which an account starts, in this order:
   * 1. Tokens of a sign-in that awaited this deploy.
   * 2. Tokens in the journal that replaced the saved ones before Node-RED restarted.
   * 3. Tokens in the saved credentials.
   * @param values the entry with environment variables resolved
   */
  restore(id: string, values: CredentialEntry, config: Properties): Tokens {
    const signIn = this.undeployed.get(id);
    if (signIn?.awaitsDeploy && isSameClient(signIn.settings, config, { ...values })) {
      this.undeployed.delete(id);
      const saved = this.entry(id);
      // Tokens that the user has entered in the form after the sign-in take precedence.
      if (!hasTokens(saved) || tokenFingerprint(saved) === signIn.replacedFingerprint) {
        this.write(id, { ...saved, ...signIn.entry });
        this.journal.append(id, values, signIn.entry);
        return tokensIn(signIn.entry);
      }
    }
    const newer = this.journal.newerThan(id, values);
    if (!newer) return tokensIn(values);
    this.write(id, { ...this.entry(id), ...newer });
    return tokensIn({ ...values, ...newer });
  }

  /** Saves the tokens of a sign-in, for a node that may not be deployed yet. */
  saveSignIn(
    id: string,
    tokens: Tokens,
    signIn: SignInInfo,
    options: Omit<UndeployedSignIn, 'entry' | 'replacedFingerprint'>,
  ): void {
    const entry = toEntry(tokens, signIn);
    this.undeployed.delete(id);
    const before = this.entry(id);
    this.undeployed.set(id, { entry, ...options, replacedFingerprint: tokenFingerprint(before) });
    this.listen();
    if (options.awaitsDeploy) return;
    if (options.isUsed) this.journal.append(id, this.resolved(id), entry);
    this.write(id, { ...before, ...entry });
  }

  /**
   * Saves refreshed tokens, unless the entry contains tokens of another sign-in.
   * @param renewed the refresh token that was used
   */
  saveRefreshed(id: string, renewed: string, tokens: Tokens): void {
    const stored = this.entry(id);
    const isRotated = tokens.refreshToken !== renewed;
    const undeployed = this.undeployed.get(id);
    if (undeployed?.awaitsDeploy && undeployed.entry.refreshToken === renewed) {
      this.undeployed.set(id, { ...undeployed, entry: toEntry(tokens, signInInfo(undeployed.entry)) });
      return;
    }
    const containsSignIn = undeployed !== undefined && !undeployed.awaitsDeploy;
    const isReferenced = isReference(stored.refreshToken) && !containsSignIn;
    if (stored.refreshToken !== renewed && !isReferenced) return;
    const previous = stored.signIn?.of === tokenFingerprint({ refreshToken: renewed }) ? stored.signIn : {};
    const { accessToken, refreshToken, signIn } = toEntry(tokens, previous);
    const entry: CredentialEntry = {
      // A reference to an environment variable stays a reference.
      ...(isReference(stored.accessToken) ? {} : { accessToken }),
      ...(isReference(stored.refreshToken) && !isRotated ? {} : { refreshToken }),
      signIn,
    };
    const written = { ...stored, ...entry };
    if (undeployed?.awaitsDeploy)
      this.undeployed.set(id, { ...undeployed, replacedFingerprint: tokenFingerprint(written) });
    else if (undeployed) this.undeployed.set(id, { ...undeployed, entry: { ...undeployed.entry, ...entry } });
    this.write(id, written);
    if (isRotated) this.journal.append(id, { refreshToken: renewed }, { accessToken, refreshToken, signIn });
  }

  /** Deletes everything that is stored for a deleted node. */
  delete(id: string): void {
    this.undeployed.delete(id);
    this.listen();
    this.journal.delete(id);
    // Node-RED deleted the entry with the deploy, but tokens may have been added during the deploy.
    if (this.RED.nodes.getCredentials(id) !== undefined) this.RED.nodes.deleteCredentials(id);
  }

  /** Deletes the tokens, but not the client ID and secret. */
  clearTokens(id: string): void {
    const { accessToken: _access, refreshToken: _refresh, signIn: _signIn, ...rest } = this.entry(id);
    const { isUsed, awaitsDeploy } = this.undeployed.get(id) ?? { isUsed: true, awaitsDeploy: false };
    // The credentials file still contains the tokens until the next deploy, so a restart would load them.
    if (isUsed || awaitsDeploy)
      this.journal.append(id, this.resolved(id), { accessToken: '', refreshToken: '' });
    this.undeployed.delete(id);
    this.write(id, rest);
  }

  /** @returns the sign-in of a node that hasn't been deployed since */
  undeployedSignIn(id: string): UndeployedSignIn | undefined {
    return this.undeployed.get(id);
  }

  /** The stored entry, with unresolved references to environment variables. */
  entry(id: string): CredentialEntry {
    return { ...(this.RED.nodes.getCredentials(id) as CredentialEntry | undefined) };
  }

  /** Time of the sign-in of the stored tokens, ms since 1970; undefined if they were entered in the form. */
  signedInAt(id: string): number | undefined {
    const at = Date.parse(signInInfo(this.entry(id)).since ?? '');
    return Number.isNaN(at) ? undefined : at;
  }

  /** The stored entry, with the tokens of a sign-in that awaits a deploy if there is one. */
  latestEntry(id: string): CredentialEntry {
    const signIn = this.undeployed.get(id);
    return { ...this.entry(id), ...(signIn?.awaitsDeploy ? signIn.entry : {}) };
  }

  /** The stored entry with environment variables resolved, as {@link restore} receives it. */
  private resolved(id: string): CredentialEntry {
    const node = this.RED.nodes.getNode(id) as Node | null;
    return withEnvironment(this.RED, { ...this.entry(id) }, node ?? undefined);
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
