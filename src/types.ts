/** Types shared by all folders of `src`. */
import type { Capabilities } from './capabilities';
import type { DriveError } from './errors';

/**
 * A file or folder resource, with the requested `fields` only. int64 values such as `size` are strings.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
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

/** A Drive service. URLs have no trailing slash. */
export interface Service {
  can: Capabilities;
  baseUrl: string;
  uploadUrl: string;
  /** `''` if unknown. */
  folderMimeType: string;
  /** A shared drive's id, `''` for My Drive. */
  driveId: string;
  /**
   * Set if the scopes grant access to the app data folder only.
   * https://developers.google.com/workspace/drive/api/guides/appdata
   */
  space?: 'appDataFolder';
  /** True for a service account that doesn't impersonate a user: it has no storage of its own. */
  isServiceAccount?: boolean;
}

/** An OAuth client (RFC 6749 2.2) and its token endpoint (RFC 6749 3.2). */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
  tokenUrl: string;
}

/** Stored tokens: RFC 6749 5.1. */
export interface Tokens {
  accessToken: string;
  /** `''` if the service issued none. */
  refreshToken: string;
  /** ms since 1970; undefined if unknown. */
  expiresAt?: number;
  /** Granted scopes, separated by spaces; undefined if the response didn't contain them. */
  scope?: string;
}

/** Provides access tokens to the request engine; see auth/token-source. */
export interface AccessTokens {
  /** @returns a token that doesn't expire soon. @throws `sign_in_required` */
  get(call?: CallOptions): Promise<string>;
  /** Call after a 401 with the refused token. @returns a new token. @throws `sign_in_required` */
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

/** Options of every operation. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Called before each retry with the ms until then, and the error that causes it; of other waits, there is none. */
  onWait?: (ms: number, error?: DriveError) => void;
  /** Called for each request that is sent. */
  onRequest?: (() => void) | undefined;
  /** Called for each response, before its body is read, and for a cancelled request: nothing waits for it. */
  onResponse?: () => void;
  /** Called with true when the call starts to wait for other work in the same folder, and with false when that ends. */
  onQueue?: (isQueued: boolean) => void;
  /** ms; a retry budget shorter than the account's, for example while a user waits in the editor. */
  retryFor?: number;
  /** ms without a byte in either direction; only if it is shorter than the account's timeout. */
  timeout?: number;
  /** Shared by all requests of the call. Without it, each request has its own. */
  budget?: RetryBudget;
  /** Errors contain Google Drive's message, because the user wrote the request, or a part of it. */
  showsServiceMessage?: boolean;
}

/** The time that a call may spend on retries; see http/retry. */
export interface RetryBudget {
  /** ms; not positive once the budget is spent. */
  readonly remaining: number;
  /** How often it was restarted. */
  readonly restarts: number;
  /** Grants the whole budget again, after progress; or `granted` ms, if the call had to wait for other calls. */
  restart(granted?: number): void;
}

/**
 * Called with the bytes transferred so far.
 * @param total undefined if the length is unknown
 * @param resumed bytes that were already transferred before a restart
 */
export type OnProgress = (transferred: number, total: number | undefined, resumed?: number) => void;
