/**
 * Access tokens of a service account: RFC 7523 (JWT bearer grant), signed with RS256 (RFC 7518 section 3.3).
 * https://developers.google.com/identity/protocols/oauth2/service-account
 */
import { type KeyObject, createPrivateKey, sign } from 'node:crypto';
import { DriveError, type ParamsArgument, type TextKey, uncheckedError } from '../errors';
import { isObject, tryParse } from '../core/validator';
import type { Tokens } from '../types';
import {
  type OAuthContext,
  type OAuthErrorResponse,
  parseTokenResponse,
  postForm,
  safeReason,
} from './token-endpoint';

/** A key file of type `service_account`. */
export interface ServiceAccountKey {
  email: string;
  /** The numeric ID that domain-wide delegation is granted to; `''` if the key doesn't contain it. */
  clientId: string;
  /** `''` if the key doesn't contain it. */
  keyId: string;
  privateKey: KeyObject;
  /** `token_uri`, `''` if the key doesn't contain it. Not checked. */
  tokenUrl: string;
}

export interface ServiceAccount {
  key: ServiceAccountKey;
  tokenUrl: string;
  /** Separated by spaces. */
  scope: string;
  /** E-mail address of the user to impersonate, `''` for none. */
  subject: string;
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Seconds; Google's maximum. */
const LIFETIME = 3_600;

/** Members that say what another file is, for the error. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  installed: 'client',
  web: 'client',
  refresh_token: 'token',
  access_token: 'token',
};

/**
 * Reads the JSON of a key file.
 * @throws `not_configured`, which never contains anything of the key
 */
export function parseServiceAccountKey(text: string): ServiceAccountKey {
  const json = tryParse(Buffer.from(text));
  if (!isObject(json)) throw keyError('not_configured_key_no_json');
  const { type } = json;
  if (type !== 'service_account') throw wrongType(json);
  const [email, pem] = ['client_email', 'private_key'].map((name) => {
    const value = textMember(json, name);
    if (value === '') throw keyError('not_configured_key_member', { member: name });
    return value;
  }) as [string, string];
  return {
    email,
    clientId: textMember(json, 'client_id'),
    keyId: textMember(json, 'private_key_id'),
    privateKey: readPrivateKey(pem),
    tokenUrl: textMember(json, 'token_uri'),
  };
}

function wrongType(json: Record<string, unknown>): DriveError {
  const { type } = json;
  const known = Object.keys(OTHER_FILES).find((name) => name in json);
  const kind = known === undefined ? '' : OTHER_FILES[known];
  if (type === undefined && kind === 'client') return keyError('not_configured_key_is_client');
  if (type === undefined && kind === 'token') return keyError('not_configured_key_is_token');
  return keyError('not_configured_key_type', { type: typeof type === 'string' ? safeReason(type) : '-' });
}

function textMember(json: Record<string, unknown>, name: string): string {
  const value = json[name];
  return typeof value === 'string' ? value.trim() : '';
}

/** Environment variables often contain the line breaks as `\n`. The errors of node:crypto aren't passed on. */
function readPrivateKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Reported below.
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw keyError('not_configured_key_pem');
}

function keyError<Text extends TextKey>(text: Text, ...[params]: ParamsArgument<Text>): DriveError {
  return uncheckedError('not_configured', text, { ...params });
}

/**
 * Requests an access token. It has no refresh token: a new JWT gets the next one.
 * @throws `sign_in_required` if the key or the impersonation is refused, `rate_limited`, or a network error
 */
export async function requestServiceAccountToken(
  context: OAuthContext,
  account: ServiceAccount,
): Promise<Tokens> {
  const { clock } = context;
  let clockAhead = 0;
  const onServerTime = (time: number): void => {
    clockAhead = clock.now() - time;
    context.onServerTime?.(time);
  };
  const endpoint = { url: account.tokenUrl, property: 'tokenUrl' as const };
  const form = { grant_type: GRANT_TYPE, assertion: signedJwt(account, clock.now()) };
  const response = await postForm({ ...context, onServerTime }, endpoint, form);
  if (!response.ok) throw refusal(response, account, clockAhead);
  return { ...parseTokenResponse(response.body, clock.now()), refreshToken: '' };
}

function signedJwt({ key, tokenUrl, scope, subject }: ServiceAccount, now: number): string {
  const iat = Math.floor(now / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(key.keyId && { kid: key.keyId }) };
  const claims = {
    ...{ iss: key.email, scope, aud: tokenUrl, iat, exp: iat + LIFETIME },
    ...(subject && { sub: subject }),
  };
  const unsigned = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), key.privateKey).toString('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

const MINUTE = 60_000;
/** By how much the clock may be wrong before it explains a refused JWT, ms. Google allows a few minutes. */
const CLOCK_TOLERANCE = 5 * MINUTE;

/** What an administrator has to change, from Google's error code and the description, which isn't shown. */
function refusal(response: OAuthErrorResponse, account: ServiceAccount, clockAhead: number): DriveError {
  const { error, description, status, retryAfter } = response;
  const { key, scope, subject } = account;
  const reason = safeReason(error);
  const detail = { status, reason };
  if (error === 'rate_limit_exceeded' || error === 'slow_down' || status === 429) {
    const params = { reason };
    return new DriveError('rate_limited', {
      ...detail,
      ...{ text: 'rate_limited', params, retryAfter, retryable: true },
    });
  }
  const refused = <Text extends TextKey>(
    text: Text,
    ...[params]: ParamsArgument<Text, 'reason'>
  ): DriveError => uncheckedError('sign_in_required', text, { reason, ...params }, detail);
  if (error === 'invalid_grant') {
    const isClockNamed = /short-lived|timeframe|\biat\b|\bexp\b/i.test(description);
    if (Math.abs(clockAhead) > (isClockNamed ? MINUTE : CLOCK_TOLERANCE)) {
      const minutes = Math.round(Math.abs(clockAhead) / MINUTE);
      return refused(
        clockAhead > 0 ? 'sign_in_required_key_clock_ahead' : 'sign_in_required_key_clock_behind',
        { minutes },
      );
    }
    // The clock may have been set since, or the `Date` is another server's.
    if (isClockNamed) return refused('sign_in_required_key_clock');
    if (subject !== '' && /email|user/i.test(description))
      return refused('sign_in_required_key_subject', { subject });
    return refused('sign_in_required_key_ended', { account: key.email, key: key.keyId || '-' });
  }
  if (error === 'unauthorized_client' && subject !== '') {
    const scopes = scope.trim().split(/\s+/).join(',');
    return refused('sign_in_required_key_delegation', { subject, scopes, client: key.clientId || key.email });
  }
  if (error === 'invalid_scope') return refused('sign_in_required_key_scope');
  return refused('sign_in_required_key_other', { account: key.email });
}
