/** What the parts of the client say to each other. Imports nothing. */

/**
 * A file or folder as the service describes it: only the requested `fields` are there. int64 values (`size`) are
 * strings. https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
export interface DriveFile {
  id: string;
  name?: string;
  mimeType?: string;
  /** Bytes, as the service's decimal string. */
  size?: string;
  md5Checksum?: string;
  sha256Checksum?: string;
  parents?: string[];
  trashed?: boolean;
  createdTime?: string;
  modifiedTime?: string;
  [field: string]: unknown;
}

/** A name in a folder, by the folder's id or alias. */
export interface NameInFolder {
  folderId: string;
  name: string;
}

/** The service a client talks to. Addresses have no trailing slash. */
export interface Service {
  /** `google`: everything that Drive v3 has. `custom`: only what docs/signing-in.md lists is taken for granted. */
  kind: 'google' | 'custom';
  baseUrl: string;
  uploadUrl: string;
  /** `''` where it is not known. */
  folderMimeType: string;
  /** A shared drive's id, `''` for My Drive. */
  driveId: string;
  /**
   * The folder that only this client sees, where the sign-in may see nothing else; absent for the drive.
   * https://developers.google.com/workspace/drive/api/guides/appdata
   */
  space?: 'appDataFolder';
}

/** What an OAuth client is registered with: RFC 6749 2.2 and 3.2. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  tokenUrl: string;
}

/** Tokens as they are kept: RFC 6749 5.1. */
export interface Tokens {
  accessToken: string;
  /** `''` where the service gave none. */
  refreshToken: string;
  /** Milliseconds since 1970, undefined where it is not known. */
  expiresAt?: number;
  /** Granted scopes, blank-separated; undefined where the answer did not say. */
  scope?: string;
}

/** Gives access tokens to the request engine; see `auth/token-source`. */
export interface AccessTokens {
  /** @returns a token that is not about to end. Throws `sign_in_required` where there is none to be had. */
  get(call?: CallOptions): Promise<string>;
  /** Called after a 401: a new token, or `sign_in_required`. `refused` is the token that the service refused. */
  renew(refused: string, call?: CallOptions): Promise<string>;
}

/** The source of time, replaced in tests. */
export interface Clock {
  /** Wall time in ms since 1970, for dates, token expiry and stored values. It jumps when the system clock is set. */
  now(): number;
  /** ms since an arbitrary start, for durations and deadlines. It never jumps. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with `cancelled` when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What every capability takes besides its own parameters. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Called before each retry with the ms until then. */
  onWait?: (ms: number) => void;
  /** ms; the retry budget of this call, if it is to be shorter than the account's: a user is waiting in the editor. */
  retryFor?: number;
  /** Shared by all requests of the call. Without it, each request has its own. */
  budget?: RetryBudget;
}

/** The time that a call may spend on retries; see http/retry. */
export interface RetryBudget {
  /** ms; not positive once the budget is spent. */
  readonly remaining: number;
  /** How often it was restarted. */
  readonly restarts: number;
  /** Grants the whole budget again, after progress. */
  restart(): void;
}

/**
 * Told how many bytes of a transfer are through; `total` is undefined where the length is not known, `resumed` says how
 * many of them an earlier run had brought.
 */
export type OnProgress = (transferred: number, total: number | undefined, resumed?: number) => void;
