/** The account config node as flow nodes use it. */
import type { Node, NodeAPI, NodeDef } from 'node-red';
import { type DriveClient, DriveError } from '../../../src/index';
import type { AccountConfig, AccountCredentials } from '../contract/account-config';
import type { IdleState } from './status';

export type AccountNodeDef = NodeDef & Partial<AccountConfig>;

export interface AccountNode extends Node<AccountCredentials> {
  /** @throws `not_configured`, `insecure_url` if the account's settings are incomplete or invalid */
  drive(): DriveClient;
  /** @returns why requests can't succeed until a user signs in or completes the account; undefined if they can */
  needsSignIn(): DriveError | undefined;
  /**
   * Whether what isn't found may belong to another Google Cloud project.
   * @throws as {@link drive} does
   */
  isNewToProject(): boolean;
  /** Calls the listener whenever `needsSignIn` may have changed. @returns a function that removes the listener */
  onSignInChange(listener: () => void): () => void;
}

/** @param id of the config node. @returns undefined if the node has no account, or the account doesn't exist */
export function findAccount(RED: NodeAPI, id: string | undefined): AccountNode | undefined {
  const node = id ? (RED.nodes.getNode(id) as Node | null) : null;
  return node && 'drive' in node ? (node as AccountNode) : undefined;
}

/** The status of a node that does nothing: without an account, or with one that is signed out, it shows that. */
export function idleState(account: AccountNode | undefined): IdleState {
  const missing = account ? account.needsSignIn() : new DriveError('not_configured');
  if (!missing) return 'idle';
  if (missing.code !== 'sign_in_required') return 'notConfigured';
  // Every other text says why an earlier sign-in is no longer valid.
  return missing.text === 'sign_in_required' ? 'notSignedIn' : 'signInNeeded';
}

/** @throws `not_configured` without an account or with incomplete settings, `insecure_url` for an invalid URL */
export function clientFor(account: AccountNode | undefined): DriveClient {
  if (account) return account.drive();
  throw new DriveError('not_configured', { text: 'not_configured_no_account' });
}
