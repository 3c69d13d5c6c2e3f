/**
 * Sign-in on another device: the device authorization grant, RFC 8628. Two steps: request a user code, then poll the
 * token endpoint until the user has entered it.
 * https://developers.google.com/identity/protocols/oauth2/limited-input-device
 */
import { badResponse, type DriveError, isDriveError } from '../errors';
import { type JsonObject, isNonEmptyString } from '../core/validator';
import { member } from '../http/json';
import { parseUrl } from '../http/url';
import type { CallOptions, OAuthClient, Tokens } from '../types';
import { signInError } from './oauth-errors';
import {
  type OAuthContext,
  parseTokenResponse,
  positiveSeconds,
  postForm,
  tokenEndpoint,
} from './token-endpoint';

/** The device authorization response, RFC 8628 section 3.2. */
export interface DeviceAuthorization {
  /** Secret: it is exchanged for the tokens. */
  deviceCode: string;
  /** Shown to the user without any change. */
  userCode: string;
  verificationUrl: string;
  /** The verification URL including the user code, if the service returns one. */
  verificationUrlComplete?: string;
  /** Seconds from now. */
  expiresIn: number;
  /** Minimum number of seconds between two polls. */
  interval: number;
}

/** Seconds, RFC 8628 section 3.2. */
const DEFAULT_INTERVAL = 5;
const MIN_INTERVAL = 1;
/** Seconds added to the interval after `slow_down`, RFC 8628 section 3.5. */
const SLOW_DOWN = 5;
const DEFAULT_EXPIRES_IN = 1_800;
/** A pending sign-in occupies memory until it expires. */
const MAX_EXPIRES_IN = 86_400;

type PollResult =
  { state: 'pending'; error?: DriveError } | { state: 'slow_down' } | { state: 'authorized'; tokens: Tokens };

interface PollOptions extends Pick<CallOptions, 'signal'> {
  /** Called after each poll: with the error if it failed temporarily, or with undefined. */
  onPolled?: (error: DriveError | undefined) => void;
}

/**
 * Requests a user code: RFC 8628 section 3.1.
 * @throws `sign_in_required` with a text for the error response, `rate_limited`, `bad_response`, `network`
 */
export async function startDeviceFlow(
  context: OAuthContext,
  { deviceUrl, clientId, scope }: { deviceUrl: string; clientId: string; scope: string },
  signal?: AbortSignal,
): Promise<DeviceAuthorization> {
  const endpoint = { url: deviceUrl, property: 'deviceUrl' as const };
  const response = await postForm(context, endpoint, { client_id: clientId, scope }, signal);
  if (!response.ok) throw signInError(response.error, 'device', response.status);
  return parseDeviceAuthorization(response.body);
}

function parseDeviceAuthorization(body: JsonObject): DeviceAuthorization {
  // Google says verification_url, RFC 8628 verification_uri.
  const url = verificationUrl(body, 'verification_url') ?? verificationUrl(body, 'verification_uri');
  const complete =
    verificationUrl(body, 'verification_url_complete') ?? verificationUrl(body, 'verification_uri_complete');
  return {
    deviceCode: member(body, 'device_code', isNonEmptyString),
    userCode: member(body, 'user_code', isNonEmptyString),
    verificationUrl: url ?? member(body, 'verification_uri', isNonEmptyString),
    ...(complete === undefined ? {} : { verificationUrlComplete: complete }),
    expiresIn: Math.min(MAX_EXPIRES_IN, positiveSeconds(body['expires_in']) ?? DEFAULT_EXPIRES_IN),
    interval: Math.max(MIN_INTERVAL, positiveSeconds(body['interval']) ?? DEFAULT_INTERVAL),
  };
}

/** Characters that would end the link's attribute, and those that are invisible or change the text direction. */
const UNSAFE = /[\s"'<>\\\p{Cc}\p{Cf}]/u;

/**
 * The editor shows the URL as a link, so that its host must be evident: no user info, an ASCII host.
 * @throws `bad_response`
 */
function verificationUrl(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : '';
  const url = /^https?:\/\//i.test(text) && !UNSAFE.test(text) ? parseUrl(text) : undefined;
  const authority = text.split(/[/?#]/, 3)[2] ?? '';
  if (!url || authority.includes('@')) throw badResponse('bad_response_type', { member: name });
  return /^[\x21-\x7e]+$/.test(text) ? text : url.href;
}

/**
 * Polls the token endpoint until the user has decided or the code has expired.
 * @returns the tokens, including `refreshToken`
 * @throws `sign_in_required` with a text for the error response, `cancelled`
 */
export async function pollForTokens(
  context: OAuthContext,
  client: OAuthClient,
  { deviceCode, expiresIn, interval: minInterval }: DeviceAuthorization,
  { signal, onPolled }: PollOptions = {},
): Promise<Tokens> {
  const { clock } = context;
  const deadline = clock.monotonic() + expiresIn * 1_000;
  let interval = minInterval;
  for (;;) {
    await clock.sleep(Math.min(interval * 1_000, deadline - clock.monotonic()), signal);
    if (clock.monotonic() >= deadline) throw signInError('expired_token', 'device');
    const result = await poll(context, client, deviceCode, signal);
    onPolled?.(result.state === 'pending' ? result.error : undefined);
    if (result.state === 'authorized') return result.tokens;
    if (result.state === 'slow_down') interval += SLOW_DOWN;
  }
}

async function poll(
  context: OAuthContext,
  client: OAuthClient,
  deviceCode: string,
  signal: AbortSignal | undefined,
): Promise<PollResult> {
  const form = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    device_code: deviceCode,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
  };
  let response;
  try {
    response = await postForm(context, tokenEndpoint(client), form, signal);
  } catch (error) {
    // RFC 8628 section 3.5: polling continues after a connection timeout.
    if (isDriveError(error) && error.retryable) return { state: 'pending', error };
    throw error;
  }
  if (response.ok) {
    return { state: 'authorized', tokens: parseTokenResponse(response.body, context.clock.now()) };
  }
  if (response.error === 'authorization_pending') return { state: 'pending' };
  if (response.error === 'slow_down') return { state: 'slow_down' };
  throw signInError(response.error, 'device', response.status);
}
