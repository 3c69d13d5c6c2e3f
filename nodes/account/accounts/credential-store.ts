/**
 * An account's tokens in Node-RED's credentials: encrypted on disk, never in flows.json, never in a browser.
 *
 * How Node-RED keeps credentials decides what is done here:
 * - `addCredentials` replaces an entry in memory; it is saved with the next deploy of anything. It must be given a new
 *   object: one that came from `getCredentials` and was changed counts as unchanged and is not saved.
 * - Each deploy drops the entries of nodes that it doesn't know. The node of a sign-in may not be deployed yet, so its
 *   tokens are kept here as well and added again after such a deploy.
 * - Members that are not registered as credentials are saved with the entry and shown to nobody.
 */
import type { Node, NodeAPI } from 'node-red';
import type { Tokens } from '../../../src/index';
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
   * Whether the account as it is deployed is another client's or server's: its own tokens stay in the entry, which any
   * deploy saves, until it is deployed as it was when these came.
   */
  awaitsDeploy: boolean;
  /** Whether it goes on with these. */
  isUsed: boolean;
  /** Where it can be revoked, `''` if nowhere: its node may not be there to say. */
  revokeUrl: string;
  /** With which it was made. */
  settings: AccountSettings;
  /** Marks the tokens of the entry that these replace. */
  replaces: string;
}

/** The tokens of unsaved nodes that are kept at most; each is a sign-in that a person made in an open editor. */
const MOST_WAITING = 50;

export class CredentialStore {
  /** By the id of their node, oldest first. */
  private readonly waiting = new Map<string, UndeployedSignIn>();

  constructor(
    private readonly RED: NodeAPI,
    private readonly kept: TokenJournal,
  ) {}

  /**
   * The tokens with which an account starts: those of its credentials, or what came after them before the restart.
   * Those of a sign-in that waited for this deploy come first.
   * @param values the entry with its references replaced
   */
  restore(id: string, values: CredentialEntry, config: Properties): Tokens {
    const pending = this.waiting.get(id);
    if (pending?.awaitsDeploy && isSameClient(pending.settings, config, { ...values })) {
      this.waiting.delete(id);
      const own = this.entry(id);
      // What was put into the form since counts instead.
      if (!hasTokens(own) || tokenFingerprint(own) === pending.replaces) {
        this.write(id, { ...own, ...pending.entry });
        this.kept.append(id, values, pending.entry);
        return tokensIn(pending.entry);
      }
    }
    const newer = this.kept.newerThan(id, values);
    if (!newer) return tokensIn(values);
    this.write(id, { ...this.entry(id), ...newer });
    return tokensIn({ ...values, ...newer });
  }

  /** Keeps what a sign-in brought, for a node that may not be deployed yet. */
  saveSignIn(
    id: string,
    tokens: Tokens,
    about: SignInInfo,
    how: Omit<UndeployedSignIn, 'entry' | 'replaces'>,
  ): void {
    const entry = toEntry(tokens, about);
    this.waiting.delete(id);
    const before = this.entry(id);
    this.waiting.set(id, { entry, ...how, replaces: tokenFingerprint(before) });
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MOST_WAITING && oldest !== undefined) this.waiting.delete(oldest);
    this.listen();
    if (how.awaitsDeploy) return;
    if (how.isUsed) this.kept.append(id, this.resolved(id), entry);
    this.write(id, { ...before, ...entry });
  }

  /**
   * Saves what a refresh brought, unless the entry has another's tokens by now.
   * @param renewed the refresh token that was used
   */
  saveRefreshed(id: string, renewed: string, tokens: Tokens): void {
    const kept = this.entry(id);
    const rotated = tokens.refreshToken !== renewed;
    const pending = this.waiting.get(id);
    const isReplaced = pending !== undefined && !pending.awaitsDeploy;
    const own = kept.refreshToken === renewed || (isReference(kept.refreshToken) && !isReplaced);
    if (!own) return;
    const about = kept.signIn?.of === tokenFingerprint({ refreshToken: renewed }) ? kept.signIn : {};
    const { accessToken, refreshToken, signIn } = toEntry(tokens, about);
    const entry: CredentialEntry = {
      // What a person has put into the environment stays there.
      ...(isReference(kept.accessToken) ? {} : { accessToken }),
      ...(isReference(kept.refreshToken) && !rotated ? {} : { refreshToken }),
      signIn,
    };
    const written = { ...kept, ...entry };
    if (pending?.awaitsDeploy) this.waiting.set(id, { ...pending, replaces: tokenFingerprint(written) });
    else if (pending) this.waiting.set(id, { ...pending, entry: { ...pending.entry, ...entry } });
    this.write(id, written);
    if (rotated) this.kept.append(id, { refreshToken: renewed }, { accessToken, refreshToken, signIn });
  }

  /** The node is gone for good: what was kept for it is of no use to anyone. */
  delete(id: string): void {
    this.waiting.delete(id);
    this.listen();
    this.kept.delete(id);
    // Node-RED has forgotten it with the deploy; what came while that was under way, it hasn't.
    if (this.RED.nodes.getCredentials(id) !== undefined) this.RED.nodes.deleteCredentials(id);
  }

  /** Forgets the tokens; the client's id and secret stay. */
  clearTokens(id: string): void {
    const { accessToken: _access, refreshToken: _refresh, signIn: _signIn, ...rest } = this.entry(id);
    const { isUsed, awaitsDeploy } = this.waiting.get(id) ?? { isUsed: true, awaitsDeploy: false };
    // Until a deploy they are still in the file of credentials, from which the next start would have them.
    if (isUsed || awaitsDeploy)
      this.kept.append(id, this.resolved(id), { accessToken: '', refreshToken: '' });
    this.waiting.delete(id);
    this.write(id, rest);
  }

  /** The sign-in of a node that was not deployed since; undefined where there is none. */
  undeployedSignIn(id: string): UndeployedSignIn | undefined {
    return this.waiting.get(id);
  }

  /** What is kept for a node: references not replaced. */
  entry(id: string): CredentialEntry {
    return { ...(this.RED.nodes.getCredentials(id) as CredentialEntry | undefined) };
  }

  /** When someone signed in for the tokens that are kept, ms since 1970; undefined where they came another way. */
  signedInAt(id: string): number | undefined {
    const at = Date.parse(signInInfo(this.entry(id)).since ?? '');
    return Number.isNaN(at) ? undefined : at;
  }

  /** What was entered last: the sign-in that waits for a deploy, else what is kept. */
  latestEntry(id: string): CredentialEntry {
    const pending = this.waiting.get(id);
    return { ...this.entry(id), ...(pending?.awaitsDeploy ? pending.entry : {}) };
  }

  /** What is kept, as the node gets it: {@link restore} compares with that. */
  private resolved(id: string): CredentialEntry {
    const node = this.RED.nodes.getNode(id) as Node | null;
    return withEnvironment(this.RED, { ...this.entry(id) }, node ?? undefined);
  }

  private write(id: string, entry: CredentialEntry): void {
    void this.RED.nodes.addCredentials(id, entry);
  }

  /** Listens only while something is pending: the module may be loaded more than once into one Node-RED. */
  private listen(): void {
    this.RED.events.removeListener('flows:started', this.onFlowsStarted);
    if (this.waiting.size > 0) this.RED.events.on('flows:started', this.onFlowsStarted);
  }

  private readonly onFlowsStarted = (): void => {
    const deployed = new Set<string>();
    this.RED.nodes.eachNode(({ id }) => deployed.add(id));
    for (const [id, { entry, awaitsDeploy }] of this.waiting) {
      if (awaitsDeploy) continue;
      // With its node deployed the entry has been saved; what the form said about it counts from then on.
      if (deployed.has(id)) this.waiting.delete(id);
      else this.write(id, { ...this.entry(id), ...entry });
    }
    this.listen();
  };
}
