/** The account config node as flow nodes use it. */
import type { Node, NodeDef } from 'node-red';
import type { DriveClient, DriveError } from '../../../src/index';
import type { AccountConfig, AccountCredentials } from '../contract/account-config';

export type AccountNodeDef = NodeDef & Partial<AccountConfig>;

export interface AccountNode extends Node<AccountCredentials> {
  /** @throws `not_configured`, `insecure_url` if the account's settings are incomplete or invalid */
  drive(): DriveClient;
  /** @returns why requests can't succeed until a user signs in or completes the account; undefined if they can */
  needsSignIn(): DriveError | undefined;
  /** Calls the listener whenever `needsSignIn` may have changed. @returns a function that removes the listener */
  onSignInChange(listener: () => void): () => void;
}
