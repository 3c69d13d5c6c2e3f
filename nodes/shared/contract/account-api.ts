/** Responses of the account's admin API, as its panel in the editor receives them. */

/** The user who signed in, as far as the service names them. */
export interface DriveUser {
  displayName?: string;
  emailAddress?: string;
}

/**
 * Where an error can be fixed: the clients, the audience, the API or the service accounts in Google's console, the
 * domain-wide delegation in the admin console, or the step "Access" of the dialog.
 */
export type SetupStep = 'clients' | 'audience' | 'api' | 'service_accounts' | 'delegation' | 'access';

/** An error with its message in Node-RED's language. */
export interface ApiError {
  code: string;
  message: string;
  step?: SetupStep;
  delegation?: Delegation;
}

/** What an administrator enters to allow domain-wide delegation. */
export interface Delegation {
  clientId: string;
  /** Separated by commas. */
  scopes: string;
}

export type SignInState = 'pending' | 'authorized' | 'denied' | 'expired' | 'failed' | 'cancelled';

/** What the user needs to complete a sign-in: a user code (RFC 8628 section 3.2) or the authorization URL. */
export interface SignInInstructions {
  flow: 'device' | 'browser';
  /** Seconds from now. */
  expiresIn: number;
  userCode?: string;
  verificationUrl?: string;
  verificationUrlComplete?: string;
  /** Seconds between two requests for the state. */
  interval?: number;
  authorizationUrl?: string;
  redirectUri?: string;
}

export interface StartedSignIn extends SignInInstructions {
  /** The id of the sign-in session. */
  session: string;
}

/** The state of a sign-in session; while it is pending, also its instructions. */
export interface SignInStatus extends Partial<SignInInstructions> {
  state: SignInState;
  error?: ApiError;
  /** Why the last poll of the token endpoint failed. Polling continues. */
  pollError?: ApiError;
  /** A likely cause of a failure now or later, such as a wrong clock. */
  warning?: string;
  account?: DriveUser;
  scope?: string;
  /** How many existing files the user has chosen; undefined if none. */
  chosenFiles?: number;
}

export interface ServiceAccountIdentity {
  /** Its own e-mail address. */
  address: string;
  /** E-mail address of the user it impersonates, `''` for none. */
  subject: string;
  scope: string;
}

export interface AccountStatus {
  signedIn: boolean;
  /** Set for a service account, which signs in with its key. */
  auth?: 'service-account';
  /** True if the service hasn't issued a token for the key yet, so that nobody knows whether it works. */
  isUntested?: true;
  /** Set if the key can be used. */
  serviceAccount?: ServiceAccountIdentity;
  /** Of a service account that impersonates a user, that user. */
  account?: DriveUser;
  scope?: string;
  /** Scopes that the account requests and this sign-in was not granted. */
  missingScopes?: string[];
  /** Time of the sign-in, ISO 8601. */
  since?: string;
  needsSignIn?: ApiError;
  /** True if nobody has signed in to this account yet. */
  isNew?: true;
  /** True while a sign-in session of this account is pending. */
  signingIn?: true;
  /** The `RED.comms` topic that announces changes of this status. */
  topic: string;
}

/** The user and the storage of the signed-in account. */
export interface ConnectionStatus {
  account?: DriveUser;
  storage?: StorageQuota;
  /** What a service account can access. */
  access?: SharedAccess;
  /** Set if it isn't deployed yet. */
  serviceAccount?: ServiceAccountIdentity;
  /** Text about a risk, such as a key file that other users can read. */
  warning?: string;
}

export interface SharedAccess {
  /** Names of shared drives, at most 100. */
  sharedDrives: string[];
  /** Names of files and folders shared with its address, at most 100. */
  sharedFiles: string[];
}

/** Bytes. */
export interface StorageQuota {
  usage: number;
  /** Undefined for unlimited storage. */
  limit?: number;
  inTrash?: number;
}
