/**
 * The error type of `src`. `code` is stable and documented in docs/errors.md. `text` is a key of the catalogue in
 * locales, whose text with `params` is shown to users; `message` is for developers.
 *
 * Errors never contain requests, headers, tokens, response bodies or URLs with a query. The following modules remove
 * them: http/transport-error.ts (errors of axios and Node.js), http/error-mapping.ts (responses of the service),
 * auth/token-endpoint.ts (responses of the sign-in service) and nodes/shared/runtime/error-message.ts (other errors).
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
  /** The message of Google Drive, see http/service-message.ts. */
  serviceMessage?: string | undefined;
}

export class DriveError extends Error {
  readonly text: string;
  readonly params: ErrorParams;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly serviceMessage: string | undefined;
  /** Whether the service may have carried out a request that isn't repeated. */
  isOutcomeUnknown = false;
  /** Number of attempts, counted by `retry`. */
  attempts = 1;
  /** Name of the service for users, see {@link serviceName}; set where the service is known. */
  service: string | undefined;
  /** The ids and paths that a node received, for users; set where they are known. */
  received: string | undefined;

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
    this.serviceMessage = detail.serviceMessage;
  }
}

/** @returns true for a DriveError, of the given code if there is one */
export function isDriveError(error: unknown, code?: ErrorCode): error is DriveError {
  return error instanceof DriveError && (code === undefined || error.code === code);
}

/** @returns undefined if the work fails with `not_found` */
export async function ifFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isDriveError(error, 'not_found')) return undefined;
    throw error;
  }
}

/** The name of Google's service for users, in English. */
export const GOOGLE_DRIVE = 'Google Drive';

/** @returns the name of a service for users: {@link GOOGLE_DRIVE}, or the host of its URL */
function serviceName(url: string): string {
  const { host, hostname } = new URL(url);
  return /(^|\.)googleapis\.com$/.test(hostname) ? GOOGLE_DRIVE : host;
}

/** Adds the name of the service to a DriveError that has none. @returns the error, to be thrown */
export function withService(error: unknown, url: string): unknown {
  if (error instanceof DriveError) error.service ??= serviceName(url);
  return error;
}

/** @returns the code of an error of Node.js, such as `ENOENT` */
export function errorCode(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The error of a call whose signal was aborted. */
export function cancelled(): DriveError {
  return new DriveError('cancelled');
}
