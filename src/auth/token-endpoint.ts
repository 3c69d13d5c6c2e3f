/**
 * The forms that are posted to an OAuth server and the answers, checked member by member.
 * RFC 6749 5.1 (success), 5.2 (error); RFC 7009 (revocation).
 */
import { DriveError } from '../errors';
import { type HttpClient } from '../http/client';
import {
  type JsonObject,
  badResponse,
  discard,
  isNumber,
  isObject,
  isString,
  member,
  optionalMember,
  readAll,
  tryParse,
} from '../http/json';
import { transportError } from '../http/transport-error';
import { errorFromResponse } from '../http/error-mapping';
import { parseRetryAfter } from '../http/retry';
import { misconfiguredUrl } from '../http/misconfigured-url';
import type { Clock, OAuthClient, Tokens } from '../types';

export interface OAuthContext {
  http: HttpClient;
  clock: Clock;
  /** Told what time it is at the server, ms since 1970, with each answer that says so: RFC 9110 6.6.1. */
  onServerTime?: (time: number) => void;
}

/** An OAuth answer: either the members of a success, or the `error` word and what it came with. */
export type OAuthResponse = { ok: true; body: JsonObject } | OAuthErrorResponse;

export interface OAuthErrorResponse {
  ok: false;
  error: string;
  status: number;
  /** ms, where the server said how long to wait. */
  retryAfter: number | undefined;
}

/** Answers of OAuth servers are a few hundred bytes. */
const LARGEST = 256 * 1024;

export interface OAuthEndpoint {
  url: string;
  /** The account's, by which a person knows it. */
  property: 'tokenUrl' | 'deviceUrl';
}

export function tokenEndpoint({ tokenUrl }: OAuthClient): OAuthEndpoint {
  return { url: tokenUrl, property: 'tokenUrl' };
}

/**
 * Posts a form. What counts is the `error` member, never the status, which differs from server to server; an answer
 * of 5xx, or one that is no JSON, is thrown as an error that may pass.
 */
export async function postForm(
  context: OAuthContext,
  { url, property }: OAuthEndpoint,
  form: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<OAuthResponse> {
  const response = await context.http.send({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    signal,
  });
  const time = Date.parse(response.headers['date'] ?? '');
  if (!Number.isNaN(time)) context.onServerTime?.(time);
  let body: unknown;
  try {
    body = tryParse(await readAll(response.body, LARGEST, response.bodyTimeout));
  } catch (error) {
    throw transportError(error, signal, response.body);
  }
  const { status, headers } = response;
  const wait = parseRetryAfter(headers, context.clock.now());
  if (status >= 500) throw errorFromResponse(status, undefined, wait);
  if (!isObject(body)) {
    if (status < 300) throw badResponse('bad_response_no_json', { address: property });
    throw foreignError(property, { status, body, wait });
  }
  const error = body['error'] ?? body['error_code'];
  if (error === undefined && status < 300) return { ok: true, body };
  if (!isString(error) || !WORD.test(error)) throw foreignError(property, { status, body, wait });
  return { ok: false, error, status, retryAfter: wait };
}

/** Gateways say `Forbidden` and `Not Found` where an OAuth server has such a word: RFC 6749 5.2. */
const WORD = /^[a-z]/;

/** What also another than the service can say. */
const OF_ANYBODY: readonly string[] = ['rate_limited', 'quota_exceeded', 'service_unavailable', 'timeout'];

/** An answer in other words than RFC 6749 5.2, a gateway's say: it tells nothing of the grant, and must not end it. */
function foreignError(property: string, { status, body, wait }: Foreign): DriveError {
  const error = errorFromResponse(status, body, wait);
  return OF_ANYBODY.includes(error.code) ? error : misconfiguredUrl(property, status);
}

interface Foreign {
  status: number;
  body: unknown;
  wait: number | undefined;
}

/** RFC 6749 A.12. Whatever else goes into a header makes none. */
const isToken = (value: unknown): value is string => isString(value) && /^[\x20-\x7e]+$/.test(value);

/** Some servers write `"3600"`. Refused for it, the answer would be lost, and with it a refresh token that is good once. */
const isSeconds = (value: unknown): value is number | string =>
  isNumber(value) || (isString(value) && /^\d{1,9}$/.test(value));

/** Reads a token answer. @throws `bad_response` naming the member that is missing or of the wrong type */
export function parseTokenResponse(body: JsonObject, now: number): Tokens {
  const expiresIn = Number(optionalMember(body, 'expires_in', isSeconds) ?? 0);
  const scope = optionalMember(body, 'scope', isString);
  return {
    accessToken: member(body, 'access_token', isToken),
    refreshToken: optionalMember(body, 'refresh_token', isString) ?? '',
    // None, or one that is over at once, tells nothing: the token is used until it is refused.
    ...(expiresIn > 0 ? { expiresAt: now + expiresIn * 1_000 } : {}),
    ...(scope === undefined ? {} : { scope }),
  };
}

/**
 * Renews an access token: RFC 6749 6.
 * @returns the new tokens; `refreshToken` is the old one where the answer has none
 * @throws `sign_in_required` when the grant is dead, `not_configured` when the client is refused
 */
export async function refreshTokens(
  context: OAuthContext,
  client: OAuthClient,
  refreshToken: string,
  signal?: AbortSignal,
): Promise<Tokens> {
  const form = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    refresh_token: refreshToken,
    grant_type: 'refresh_token',
  };
  const answer = await postForm(context, tokenEndpoint(client), form, signal);
  if (!answer.ok) throw refreshError(answer);
  const tokens = parseTokenResponse(answer.body, context.clock.now());
  return { ...tokens, refreshToken: tokens.refreshToken || refreshToken };
}

function refreshError({ error, status, retryAfter }: OAuthErrorResponse): DriveError {
  const detail = { status, reason: safeReason(error), params: { reason: safeReason(error) } };
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    return new DriveError('not_configured', { ...detail, text: 'not_configured_client_refused' });
  }
  if (error === 'rate_limit_exceeded' || error === 'slow_down' || status === 429) {
    return new DriveError('rate_limited', { ...detail, retryAfter: retryAfter, retryable: true });
  }
  return new DriveError('sign_in_required', {
    ...detail,
    text: error === 'invalid_grant' ? 'sign_in_required_ended' : 'sign_in_required_oauth',
  });
}

/** The `error` of an OAuth answer as it may be shown: RFC 6749 allows more than a word. */
export function safeReason(error: string): string {
  return /^[A-Za-z_]{1,64}$/.test(error) ? error : 'unknown';
}

/** Ends a token at the service, RFC 7009. @throws when the service refused or was not reached */
export async function revokeToken(
  context: OAuthContext,
  revokeUrl: string,
  token: string,
  signal?: AbortSignal,
): Promise<void> {
  const response = await context.http.send({
    method: 'POST',
    url: revokeUrl,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token }).toString(),
    signal,
  });
  discard(response.body);
  if (response.status >= 300) throw errorFromResponse(response.status, undefined);
}
