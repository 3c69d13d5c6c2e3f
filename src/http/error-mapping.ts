/**
 * Maps error responses to coded errors, by reason first and then by status.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
import { DriveError, type ErrorCode, type TextWith } from '../errors';
import { isObject, type JsonObject } from '../core/validator';
import type { Service } from '../types';

/** Any text of an error response can have these parameters. */
type Text = TextWith<'status' | 'reason'>;

interface ErrorMapping {
  code: ErrorCode & Text;
  /** The code by default. */
  text?: Text;
  retryable?: boolean;
}

const BY_REASON: ReadonlyMap<string, ErrorMapping> = new Map(
  Object.entries<ErrorMapping>({
    rateLimitExceeded: { code: 'rate_limited', retryable: true },
    userRateLimitExceeded: { code: 'rate_limited', retryable: true },
    sharingRateLimitExceeded: { code: 'rate_limited' },
    dailyLimitExceeded: { code: 'quota_exceeded', text: 'quota_exceeded_daily' },
    dailyLimitExceededUnreg: { code: 'quota_exceeded', text: 'quota_exceeded_daily' },
    downloadQuotaExceeded: { code: 'quota_exceeded', text: 'quota_exceeded_download' },
    quotaExceeded: { code: 'quota_exceeded' },
    storageQuotaExceeded: { code: 'quota_exceeded', text: 'quota_exceeded_storage' },
    teamDriveFileLimitExceeded: { code: 'quota_exceeded', text: 'quota_exceeded_children' },
    numChildrenInNonRootLimitExceeded: { code: 'quota_exceeded', text: 'quota_exceeded_children' },
    authError: { code: 'sign_in_required', text: 'sign_in_required_refused' },
    accessNotConfigured: { code: 'permission_denied', text: 'permission_denied_api_disabled' },
    appNotAuthorizedToFile: { code: 'permission_denied', text: 'permission_denied_app' },
    insufficientFilePermissions: { code: 'permission_denied' },
    insufficientPermissions: { code: 'permission_denied', text: 'permission_denied_scope' },
    notSupportedForAppDataFolderFiles: { code: 'permission_denied', text: 'permission_denied_app_data' },
    teamDrivesFolderMoveInNotSupported: { code: 'permission_denied', text: 'permission_denied_folder_drive' },
    invalidSharingRequest: { code: 'permission_denied', text: 'permission_denied_sharing' },
    domainPolicy: { code: 'permission_denied', text: 'permission_denied_policy' },
    forbidden: { code: 'permission_denied' },
    notFound: { code: 'not_found' },
    myDriveHierarchyDepthLimitExceeded: { code: 'invalid_input', text: 'invalid_input_too_deep' },
    teamDriveHierarchyTooDeep: { code: 'invalid_input', text: 'invalid_input_too_deep' },
    parentNotAFolder: { code: 'invalid_input', text: 'invalid_input_parent' },
    cyclicalParent: { code: 'invalid_input', text: 'invalid_input_cycle' },
    conflict: { code: 'conflict', text: 'conflict_refused' },
    fileNotDownloadable: { code: 'not_downloadable' },
    fileNotExportable: { code: 'not_downloadable' },
    exportSizeLimitExceeded: { code: 'not_downloadable', text: 'not_downloadable_export_size' },
    cannotDownloadAbusiveFile: { code: 'not_downloadable', text: 'not_downloadable_abusive' },
    backendError: { code: 'service_unavailable', retryable: true },
    internalError: { code: 'service_unavailable', retryable: true },
    // The user's query, fields or metadata are wrong, not the account's access.
    fieldNotWritable: { code: 'bad_response', text: 'bad_response_refused' },
    badRequest: { code: 'bad_response', text: 'bad_response_refused' },
    invalid: { code: 'bad_response', text: 'bad_response_refused' },
  }),
);

function byStatus(status: number): ErrorMapping {
  if (status === 400) return { code: 'bad_response', text: 'bad_response_refused' };
  if (status === 401) return { code: 'sign_in_required', text: 'sign_in_required_refused' };
  if (status === 403) return { code: 'permission_denied' };
  if (status === 404 || status === 410) return { code: 'not_found' };
  if (status === 408) return { code: 'timeout', retryable: true };
  if (status === 409) return { code: 'conflict', text: 'conflict_refused' };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status >= 500) return { code: 'service_unavailable', retryable: [500, 502, 503, 504].includes(status) };
  return { code: 'bad_response', text: 'bad_response_status' };
}

interface ErrorResponseOptions {
  /** ms */
  retryAfter?: number | undefined;
  /** Whether the error contains the message of the response, which must come from Google Drive. */
  showsMessage?: boolean;
}

/** @param body parsed, undefined if it isn't JSON */
export function errorFromResponse(
  status: number,
  body: unknown,
  { retryAfter, showsMessage = false }: ErrorResponseOptions = {},
): DriveError {
  const reason = reasonOf(body);
  const { code, text = code, retryable } = BY_REASON.get(reason ?? '') ?? byStatus(status);
  const params = { status, reason: reason ?? '-' };
  const message = showsMessage ? serviceMessage(body) : undefined;
  return new DriveError(code, {
    ...{ text, params, status, reason, retryable, retryAfter },
    parameter: isObject(body) && isObject(body['error']) ? rejectedParameter(body['error']) : undefined,
    serviceMessage: message,
  });
}

/** Service accounts have no storage, so neither deleting files nor buying storage helps. */
export function explainNoStorage(error: DriveError): DriveError {
  if (error.text !== 'quota_exceeded_storage') return error;
  const { code, status, reason } = error;
  return new DriveError(code, { text: 'quota_exceeded_service_account', status, reason });
}

/** `errors[0].reason` of the Drive API, `error` or `error_code` of OAuth; only if it is a single word. */
function reasonOf(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (isObject(error)) {
    const first: unknown = Array.isArray(error['errors']) ? error['errors'][0] : undefined;
    return word(isObject(first) ? first['reason'] : undefined) ?? word(error['status']);
  }
  return word(error) ?? word(body['error_code']);
}

/** Reasons appear in logs and messages, so a value that may be a secret or a URL is dropped. */
function word(value: unknown): string | undefined {
  return typeof value === 'string' && /^[A-Za-z_]{1,64}$/.test(value) ? value : undefined;
}

const MAX_LENGTH = 200;
/** URLs, and anything as long as a token or an upload session's id. IDs of files are shorter. */
const URL_OR_SECRET = /\b[a-z][\w+.-]*:\/\/\S+|[\w+/=.~-]{60,}/gi;

/**
 * Google Drive's own words say which parameter is wrong. Other services may echo anything: their messages aren't used.
 * @returns one line: the message, and the parameter that it is about; undefined for none
 */
export function serviceMessage(body: unknown): string | undefined {
  const error = isObject(body) ? body['error'] : undefined;
  if (!isObject(error) || typeof error['message'] !== 'string') return undefined;
  const message = error['message'].replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (message === '' || looksLikeSecret(message)) return undefined;
  const characters = [...message.replace(URL_OR_SECRET, '…')];
  const line =
    characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : characters.join('');
  const location = rejectedParameter(error);
  return location === undefined || line.split(/[^\w.]+/).includes(location) ? line : `${line} (${location})`;
}

/**
 * @param error of a response
 * @returns the parameter that the service rejects: `q`, `fields`, `permission.role`
 */
function rejectedParameter({ errors }: JsonObject): string | undefined {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const location = isObject(first) ? first['location'] : undefined;
  return typeof location === 'string' && /^[\w.[\]]{1,64}$/.test(location) ? location : undefined;
}

/**
 * Beginnings of Google's access tokens, refresh tokens, client secrets and API keys, of JWTs, and of private age keys.
 */
const SECRET = /\b(?:ya29\.|1\/\/|GOCSPX-|AIza|eyJ|AGE-SECRET-KEY-)|\bBearer\b/i;

export function looksLikeSecret(text: string): boolean {
  return SECRET.test(text);
}

/** The error for a response that only a wrong URL explains. @param name as {@link urlName} returns it */
export function misconfiguredUrl(name: string, status: number): DriveError {
  return new DriveError('bad_response', {
    text: 'bad_response_address',
    params: { address: name, status },
    status,
  });
}

/** @returns the account property that the URL comes from, or its host for the Google preset */
export function urlName({ can, baseUrl, uploadUrl }: Service, url: string): string {
  if (can.presetUrls) return new URL(url).host;
  return uploadUrl !== baseUrl && url.startsWith(`${uploadUrl}/upload/`) ? 'uploadUrl' : 'baseUrl';
}

/**
 * Adds the URL's property to an error that it may have caused. If a custom service gives no reason for a 404, either
 * the file or the endpoint may be missing.
 */
export function nameMisconfiguredUrl(error: DriveError, service: Service, url: string): DriveError {
  const { code, text, status, reason } = error;
  const isAmbiguous = code === 'not_found' && reason === undefined && !service.can.errorReasons;
  if (!isAmbiguous && text !== 'bad_response_no_json') return error;
  const named = { address: urlName(service, url) };
  return isAmbiguous
    ? new DriveError(code, { text: 'not_found_address', params: named, status })
    : error.with({ params: named, status });
}
