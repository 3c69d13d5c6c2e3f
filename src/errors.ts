/**
 * The one error that leaves `src`. `code` is the stable word, one of docs/errors.md; `text` and `params` name the sentence
 * in the catalogue from which a user's text is made, so that `message` is only a fallback for developers.
 *
 * It never contains a request, headers, a token, a response body or a URL with a query.
 */
export type ErrorCode =
  | 'not_configured'
  | 'sign_in_required'
  | 'insecure_url'
  | 'invalid_input'
  | 'not_found'
  | 'permission_denied'
  | 'not_downloadable'
  | 'conflict'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'service_unavailable'
  | 'network'
  | 'timeout'
  | 'bad_response'
  | 'checksum_mismatch'
  | 'local_file'
  | 'too_large'
  | 'cancelled'
  | 'partial_failure';

export type ErrorParams = Readonly<Record<string, string | number>>;

export interface ErrorDetail {
  /** Key below `errors` in the catalogue; the code itself where one sentence says it all. */
  text?: string | undefined;
  params?: ErrorParams;
  /** HTTP status of the response that caused the error. */
  status?: number | undefined;
  /** The service's own word for it: `errors[].reason` of the files interface, `error` of OAuth. */
  reason?: string | undefined;
  /** True where the same request may succeed later. */
  retryable?: boolean | undefined;
  /** Milliseconds the service asked to wait (`Retry-After`). */
  retryAfter?: number | undefined;
}

export class DriveError extends Error {
  readonly text: string;
  readonly params: ErrorParams;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  /** Number of attempts, counted by `retry`. */
  attempts = 1;

  constructor(
    readonly code: ErrorCode,
    detail: ErrorDetail = {},
  ) {
    const text = detail.text ?? code;
    const params = detail.params ?? {};
    super([text, ...Object.entries(params).map(([name, value]) => `${name}=${value}`)].join(' '));
    this.text = text;
    this.params = params;
    this.status = detail.status;
    this.reason = detail.reason;
    this.retryable = detail.retryable ?? false;
    this.retryAfter = detail.retryAfter;
  }
}

/** @returns true for an error of this package, with `code` narrowed to the given one if one is given. */
export function isDriveError(error: unknown, code?: ErrorCode): error is DriveError {
  return error instanceof DriveError && (code === undefined || error.code === code);
}

/** The error of a call whose signal was aborted. */
export function cancelled(): DriveError {
  return new DriveError('cancelled');
}

/** Texts by error code of the file system. */
const LOCAL_FILE_TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'local_file_missing',
  EACCES: 'local_file_denied',
  EPERM: 'local_file_denied',
  ENOSPC: 'local_file_full',
  EDQUOT: 'local_file_full',
  EFBIG: 'local_file_too_large',
  EROFS: 'local_file_read_only',
  EISDIR: 'local_file_is_folder',
  ENOTDIR: 'local_file_not_folder',
  ENAMETOOLONG: 'local_file_name_too_long',
};

/**
 * Turns an error of the file system into a coded one.
 * @param path as the user gave it
 * @param texts additional texts by error code
 */
export function localFileError(
  error: unknown,
  path: string,
  texts: Readonly<Record<string, string>> = {},
): DriveError {
  if (error instanceof DriveError) return error;
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') throw error;
  const known = { ...LOCAL_FILE_TEXTS, ...texts };
  const text = Object.hasOwn(known, code) ? known[code] : undefined;
  return new DriveError('local_file', { text, params: { path, reason: code }, reason: code });
}
