/**
 * The error type of `src`. `code` is stable and documented in docs/errors.md. `text` is a key of the catalogue in
 * locales, whose text with `params` is shown to users; `message` is for developers.
 *
 * Errors never contain requests, headers, tokens, response bodies or URLs with a query.
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
  /** Key below `errors` in the catalogue; by default the code. */
  text?: string | undefined;
  params?: ErrorParams;
  /** HTTP status of the response that caused the error. */
  status?: number | undefined;
  /** The reason given by the service: `errors[].reason` of the Drive API, `error` of OAuth. */
  reason?: string | undefined;
  /** True if the same request may succeed later. */
  retryable?: boolean | undefined;
  /** ms; from `Retry-After`. */
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

/** @returns true for a DriveError, of the given code if there is one */
export function isDriveError(error: unknown, code?: ErrorCode): error is DriveError {
  return error instanceof DriveError && (code === undefined || error.code === code);
}

/** The error of a call whose signal was aborted. */
export function cancelled(): DriveError {
  return new DriveError('cancelled');
}

/** Text keys by file system error code. */
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
 * Maps a file system error to a DriveError. Other errors, such as a mistake in this program, are thrown unchanged.
 * @param path as the user entered it
 * @param texts additional text keys by error code
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
  const textKeys = { ...LOCAL_FILE_TEXTS, ...texts };
  const text = Object.hasOwn(textKeys, code) ? textKeys[code] : undefined;
  return new DriveError('local_file', { text, params: { path, reason: code }, reason: code });
}
