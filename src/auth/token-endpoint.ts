/**
 * Requests to an OAuth server and their responses, checked member by member.
 * RFC 6749 sections 5.1 (token response), 5.2 (error response) and 6 (refresh); RFC 7009 (revocation).
 */
import { badResponse, DriveError, withService } from '../errors';
import type { HttpClient, HttpRequest } from '../http/client';
import { type JsonObject, isObject, isString, tryParse } from '../core/validator';
import { discard, member, optionalMember, readAll } from '../http/json';
import { transportError } from '../http/transport-error';
import { errorFromResponse, misconfiguredUrl } from '../http/error-mapping';
import { parseHttpDate, parseRetryAfter } from '../http/retry';
import type { Clock, OAuthClient, Tokens } from '../types';

export interface OAuthContext {
  http: HttpClient;
  clock: Clock;
  /** Receives the server's time from each `Date` header (RFC 9110 section 6.6.1), ms since 1970. */
  onServerTime?: (time: number) => void;
}

type OAuthResponse = { ok: true; body: JsonObject } | OAuthErrorResponse;

export interface OAuthErrorResponse {
  ok: false;
  error: string;
  /** `error_description`, `''` if there is none. It may contain anything, so it isn't shown. */
  description: string;
  status: number;
  /** ms, undefined without a `Retry-After` header. */
  retryAfter: number | undefined;
}

/** Bytes. Usual responses have a few hundred. */
const MAX_RESPONSE_SIZE = 256 * 1024;

interface OAuthEndpoint {
  url: string;
  /** The account's property that contains the URL, for error messages. */
  property: 'tokenUrl' | 'deviceUrl';
}

export function tokenEndpoint({ tokenUrl }: OAuthClient): OAuthEndpoint {
  return { url: tokenUrl, property: 'tokenUrl' };
}

/**
 * Posts a form. The `error` member decides whether the request failed, not the status, which differs between servers.
 * @throws a retryable error for a status of 500 and above, `bad_response` for a response that isn't OAuth JSON
 */
export async function postForm(
  context: OAuthContext,
  endpoint: OAuthEndpoint,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<OAuthResponse> {
  try {
    return await sendForm(context, endpoint, form, signal);
  } catch (error) {
    throw withService(error, endpoint.url);
  }
}

async function sendForm(
  context: OAuthContext,
  { url, property }: OAuthEndpoint,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<OAuthResponse> {
  const response = await context.http.send(formRequest(url, form, signal));
  const { status, headers } = response;
  const serverTime = parseHttpDate(headers['date'] ?? '');
  if (serverTime !== undefined) context.onServerTime?.(serverTime);
  let body: unknown;
  try {
    body = tryParse(await readAll(response.body, MAX_RESPONSE_SIZE, response.bodyTimeout));
  } catch (error) {
    throw transportError(error, signal, response.body);
  }
  const retryAfter = parseRetryAfter(headers, context.clock.now());
  if (status >= 500) throw errorFromResponse(status, undefined, { retryAfter });
  if (!isObject(body) && status < 300) throw badResponse('bad_response_no_json', { address: property });
  const members = isObject(body) ? body : {};
  const error = members['error'] ?? members['error_code'];
  if (isObject(body) && error === undefined && status < 300) return { ok: true, body };
  if (isString(error) && ERROR_CODE.test(error)) {
    const { error_description: described } = members;
    const description = isString(described) ? described : '';
    return { ok: false, error, description, status, retryAfter };
  }
  throw nonOAuthError(property, errorFromResponse(status, body, { retryAfter }));
}

function formRequest(
  url: string,
  form: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): HttpRequest {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' };
  return { method: 'POST', url, headers, body: new URLSearchParams(form).toString(), signal };
}

/** RFC 6749 section 5.2. Gateways send `Forbidden` or `Not Found` as `error` instead. */
const ERROR_CODE = /^[a-z]/;

/** Errors that a proxy or gateway may return for the right URL too. */
const INDEPENDENT_OF_URL: readonly string[] = [
  'rate_limited',
  'quota_exceeded',
  'service_unavailable',
  'timeout',
];

/** An error that isn't an OAuth error response says nothing about the grant, so it must not end the sign-in. */
function nonOAuthError(property: string, error: DriveError): DriveError {
  return INDEPENDENT_OF_URL.includes(error.code) ? error : misconfiguredUrl(property, error.status ?? 0);
}

/** RFC 6749 appendix A.12. Other characters can't be sent in a header. */
const isAccessToken = (value: unknown): value is string => isString(value) && /^[\x20-\x7e]+$/.test(value);

/**
 * Reads a duration leniently. Some servers send `"3600"` or `"3600.0"`. An error would be worse than a missing
 * duration: the response may contain a rotated refresh token that exists nowhere else.
 * @returns undefined for anything but a positive number
 */
export function positiveSeconds(value: unknown): number | undefined {
  const isNumeric = typeof value === 'number' || (isString(value) && /^\s*\d+(\.\d+)?\s*$/.test(value));
  const seconds = isNumeric ? Number(value) : 0;
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}

/**
 * Reads a token response. Without `expiresAt` a token is used until the service rejects it.
 * @param now ms since 1970
 * @throws `bad_response` naming the member that is missing or has the wrong type
 */
export function parseTokenResponse(body: JsonObject, now: number): Tokens {
  const expiresIn = positiveSeconds(body['expires_in']);
  for (const name of ['access_token', 'refresh_token', 'scope']) checkString(body, name);
  const scope = optionalMember(body, 'scope', isString);
  return {
    accessToken: member(body, 'access_token', isAccessToken),
    refreshToken: optionalMember(body, 'refresh_token', isString) ?? '',
    ...(expiresIn === undefined ? {} : { expiresAt: now + expiresIn * 1_000 }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** A number may have lost digits already when it was parsed, so it isn't converted. */
function checkString(body: JsonObject, name: string): void {
  if (['string', 'undefined'].includes(typeof body[name]) || body[name] === null) return;
  throw badResponse('bad_response_not_string', { member: name });
}

/**
 * Refreshes an access token: RFC 6749 section 6.
 * @returns the new tokens; `refreshToken` is the given one unless the response contains another
 * @throws `sign_in_required` if the grant has ended, `not_configured` if the client is rejected
 */
export async function refreshTokens(
  context: OAuthContext,
  client: OAuthClient,
  refreshToken: string,
): Promise<Tokens> {
  const form = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    refresh_token: refreshToken,
    grant_type: 'refresh_token',
  };
  const response = await postForm(context, tokenEndpoint(client), form);
  if (!response.ok) throw refreshError(response);
  const tokens = parseTokenResponse(response.body, context.clock.now());
  return { ...tokens, refreshToken: tokens.refreshToken || refreshToken };
}

function refreshError({ error, status, retryAfter }: OAuthErrorResponse): DriveError {
  const reason = safeReason(error);
  const detail = { status, reason, params: { reason } };
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return new DriveError('not_configured', { ...detail, text: 'not_configured_client_refused' });
  }
  if (error === 'rate_limit_exceeded' || error === 'slow_down' || status === 429) {
    return new DriveError('rate_limited', { ...detail, text: 'rate_limited', retryAfter, retryable: true });
  }
  return new DriveError('sign_in_required', {
    ...detail,
    text: error === 'invalid_grant' ? 'sign_in_required_ended' : 'sign_in_required_oauth',
  });
}

/** @returns the error code if it is safe to show: RFC 6749 allows any printable text */
export function safeReason(error: string): string {
  return /^[A-Za-z_]{1,64}$/.test(error) ? error : 'unknown';
}

/** Revokes a token, RFC 7009. @throws if the service refuses or isn't reached */
export async function revokeToken(
  context: OAuthContext,
  revokeUrl: string,
  token: string,
  signal?: AbortSignal,
): Promise<void> {
  const response = await context.http.send(formRequest(revokeUrl, { token }, signal));
  discard(response.body);
  if (response.status >= 300) throw errorFromResponse(response.status, undefined);
}
