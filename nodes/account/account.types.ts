/** What the account is made of: the table of docs/nodes/account.md. Shared by the editor and the runtime; types only. */
import type { Node, NodeDef } from 'node-red';
import type { DriveClient, DriveError } from '../../src/index';
import type { Person } from './admin-api.types';

/** The properties that say where requests go. They come as strings from the form. */
export interface AccountAddresses {
  service: 'google' | 'custom';
  baseUrl: string;
  uploadUrl: string;
  tokenUrl: string;
  deviceUrl: string;
  authUrl: string;
  revokeUrl: string;
}

export interface AccountConfig extends AccountAddresses {
  name: string;
  folderMimeType: string;
  scope: string;
  driveId: string;
  requestsPerSecond: number | string;
  maxTransfers: number | string;
  /** Seconds. */
  retryFor: number | string;
  /** Seconds. */
  timeout: number | string;
  /** KiB a second, 0 = no limit. */
  bandwidth: number | string;
  /** ISO time of the last sign-in; makes Deploy light up, proves nothing. */
  signedInAt: string;
}

export interface AccountCredentials {
  clientId?: string;
  clientSecret?: string;
  refreshToken?: string;
  accessToken?: string;
}

/** What is known of a sign-in besides its tokens. Kept beside them, unregistered. */
export interface SignIn {
  /** Granted, blank-separated. */
  scope?: string;
  account?: Person;
  /** ISO time of the sign-in. */
  since?: string;
  /** Milliseconds since 1970 at which the access token ends. */
  expiresAt?: number;
  /** Tells to which token this belongs: another may have been pasted into the form since. */
  of?: string;
}

/** What is kept for an account in Node-RED's credentials. */
export type Entry = AccountCredentials & { signIn?: SignIn };

export type AccountNodeDef = NodeDef & Partial<AccountConfig>;

/** What a flow node sees of its account. */
export interface AccountNode extends Node<AccountCredentials> {
  /** @throws `not_configured`, `insecure_url` where the account can't work as it is set up */
  drive(): DriveClient;
  /** Why nothing can be done until someone signs in or completes the account; undefined while all is well. */
  needsSignIn(): DriveError | undefined;
  /** Calls back whenever `needsSignIn` may have changed; returns how to stop that. */
  onSignInChange(listener: () => void): () => void;
}
