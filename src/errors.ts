/**
 * The error type of `src`. `code` is stable and documented in docs/errors.md. `text` is a key of the catalogue in
 * locales, whose text with `params` is shown to users; `message` is for developers.
 *
 * Errors never contain requests, headers, tokens, response bodies or URLs with a query. The following modules remove
 * them: http/transport-error.ts (errors of axios and Node.js), http/error-mapping.ts (responses of the service),
 * auth/token-endpoint.ts (responses of the sign-in service) and nodes/shared/runtime/error-message.ts (other errors).
 */
import type { ErrorTexts } from '../generated/text-params';

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
  | 'partial_failure'
  | 'outdated';

/** A size in a text. */
export class Size {
  constructor(
    readonly bytes: number,
    readonly round: 'up' | 'down',
  ) {}

  toString(): string {
    return `${this.bytes} B`;
  }
}

/** A limit is rounded down and a size above it up, so that the two never look the same. */
export const maximumSize = (bytes: number): Size => new Size(bytes, 'down');
export const actualSize = (bytes: number): Size => new Size(bytes, 'up');

/** ms since 1970: the last possible date. ECMA-262 21.4.1.1 */
export const MAX_TIME = 8.64e15;

/** A time in a text, as this machine's clock shows it. */
export class LocalTime {
  /** @param time ms since 1970 */
  constructor(readonly time: number) {}

  /** @returns `2026-11-22 02:30 UTC+1` */
  toString(): string {
    const minutes = -new Date(this.time).getTimezoneOffset();
    // The local time of the first or last possible date may be none.
    const local = Math.max(-MAX_TIME, Math.min(MAX_TIME, this.time + minutes * 60_000));
    const shown = new Date(local).toISOString().replace(/:\d+\.\d+Z$/, '');
    return `${shown.replace('T', ' ')} UTC${offsetText(minutes)}`;
  }
}

/** @returns such as `+1` and `-3:30`; `''` for UTC itself */
function offsetText(minutes: number): string {
  if (minutes === 0) return '';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** A value in a text. Values with a unit are formatted in the user's language. */
export type ErrorParam = string | number | Size | LocalTime;
export type ErrorParams = Readonly<Record<string, ErrorParam>>;

/** A key below `errors` in the catalogue. */
export type TextKey = keyof ErrorTexts;

/** The parameters of a text, or of several of which one is chosen. The service is added where it is known. */
type TextParams<Text extends TextKey> = Readonly<Record<Exclude<ErrorTexts[Text], 'service'>, ErrorParam>>;

/** Of an object literal, no members are accepted. */
type NoParams = Readonly<Record<symbol, never>>;

/**
 * The last argument of a function with a text: its parameters. May be omitted if there are none but those that the
 * function knows itself.
 */
export type ParamsArgument<
  Text extends TextKey,
  Known extends string = never,
> = keyof TextParams<Text> extends Known
  ? [params?: Readonly<Partial<Record<Known, ErrorParam>>> & NoParams]
  : [params: Omit<TextParams<Text>, Known> & Readonly<Partial<Record<Known, ErrorParam>>>];

/** The texts that need no other parameters than these. */
export type TextWith<Names extends string> = {
  [Text in TextKey]: keyof TextParams<Text> extends Names ? Text : never;
}[TextKey];

/** The codes that are also the keys of texts without parameters. */
type PlainCode = { [Code in ErrorCode]: keyof TextParams<Code> extends never ? Code : never }[ErrorCode];

export interface ErrorDetail {
  /** HTTP status of the response that caused the error. */
  status?: number | undefined;
  /** The reason given by the service: `errors[].reason` of the Drive API, `error` of OAuth. */
  reason?: string | undefined;
  /** The parameter that the service rejects: `fields`. */
  parameter?: string | undefined;
  /** True if the same request may succeed later. */
  retryable?: boolean | undefined;
  /** ms; from `Retry-After`. */
  retryAfter?: number | undefined;
  /** The message of Google Drive, see http/error-mapping.ts. */
  serviceMessage?: string | undefined;
}

/** The key of a text, and its parameters. */
type TextDetail<Text extends TextKey> = { text: Text } & (keyof TextParams<Text> extends never
  ? { params?: NoParams }
  : { params: TextParams<Text> });

class AnyDriveError extends Error {
  readonly text: TextKey;
  readonly params: ErrorParams;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly parameter: string | undefined;
  readonly retryable: boolean;
  readonly retryAfter: number | undefined;
  readonly serviceMessage: string | undefined;
  /** Whether the service may have carried out a request that isn't repeated. */
  isOutcomeUnknown = false;
  /** Whether what wasn't found may belong to another Google Cloud project. */
  mayBeOtherProject = false;
  /** Number of attempts, counted by `retry`. */
  attempts = 1;
  /** Name of the service for users, see {@link serviceName}; set where the service is known. */
  service: string | undefined;
  /** The ids and paths that a node received, for users; set where they are known. */
  received: string | undefined;

  constructor(
    readonly code: ErrorCode,
    detail: ErrorDetail & { text?: TextKey; params?: ErrorParams } = {},
  ) {
    const text = detail.text ?? code;
    const params = detail.params ?? {};
    super([text, ...Object.entries(params).map(([name, value]) => `${name}=${String(value)}`)].join(' '));
    this.text = text;
    this.params = params;
    this.status = detail.status;
    this.reason = detail.reason;
    this.parameter = detail.parameter;
    this.retryable = detail.retryable ?? false;
    this.retryAfter = detail.retryAfter;
    this.serviceMessage = detail.serviceMessage;
  }

  /** @returns a new error with the same code and text. Its parameters include those of this one. */
  with({ params, ...detail }: ErrorDetail & { params?: ErrorParams }): DriveError {
    return uncheckedError(this.code, this.text, { ...this.params, ...params }, detail);
  }
}

/** Requires the parameters of the text. Without a text, the code is its key. */
interface DriveErrorConstructor {
  new (code: PlainCode, detail?: ErrorDetail): DriveError;
  new <Text extends TextKey>(code: ErrorCode, detail: ErrorDetail & TextDetail<Text>): DriveError;
  readonly prototype: DriveError;
}

export type DriveError = AnyDriveError;
export const DriveError: DriveErrorConstructor = AnyDriveError;

/** For functions whose own types require the parameters of the text: see {@link ParamsArgument}. */
export function uncheckedError(
  code: ErrorCode,
  text: TextKey,
  params: ErrorParams,
  detail: ErrorDetail = {},
): DriveError {
  return new AnyDriveError(code, { text, params, ...detail });
}

export function badResponse<Text extends TextKey>(text: Text, ...[params]: ParamsArgument<Text>): DriveError {
  return uncheckedError('bad_response', text, { ...params });
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
