/**
 * Signing in with a device code: RFC 8628.
 * Start, show the code, poll until there is an end.
 */
import { type DriveError, isDriveError } from '../errors';
import {
  type JsonObject,
  badResponse,
  isNonEmptyString,
  isNumber,
  member,
  optionalMember,
} from '../http/json';
import type { CallOptions, OAuthClient, Tokens } from '../types';
import { signInError } from './sign-in-error';
import { type OAuthContext, postForm, tokenEndpoint, parseTokenResponse } from './token-endpoint';

export interface DeviceAuthorization {
  /** Secret: whoever has it gets the tokens. */
  deviceCode: string;
  /** To be shown unmodified. */
  userCode: string;
  verificationUrl: string;
  /** The address with the code in it, where the service gives one. */
  verificationUrlComplete?: string;
  /** Seconds from now. */
  expiresIn: number;
  /** Seconds between two polls at least. */
  interval: number;
}

/** RFC 8628 3.2: the interval to use where the server names none. */
const DEFAULT_INTERVAL = 5;
const SLOW_DOWN = 5;
const DEFAULT_EXPIRES_IN = 1_800;
/** A day: nobody types a code later, and a sign-in that waits is kept for as long. */
const LONGEST_EXPIRES_IN = 86_400;

/** What one poll came to: RFC 8628 3.5. */
type Poll =
  | { state: 'pending'; trouble?: DriveError }
  | { state: 'slow_down' }
  | { state: 'authorized'; tokens: Tokens };

export interface PollOptions extends Pick<CallOptions, 'signal'> {
  /** Told after each poll why the service could not be asked, or that it could. */
  onPollError?: (trouble: DriveError | undefined) => void;
}

/**
 * Asks for a code: RFC 8628 3.1.
 * @throws `sign_in_required` with a text for each refusal, `rate_limited`, `bad_response`, `network`
 */
export async function startDeviceFlow(
  context: OAuthContext,
  request: { deviceUrl: string; clientId: string; scope: string },
  signal?: AbortSignal,
): Promise<DeviceAuthorization> {
  const form = { client_id: request.clientId, scope: request.scope };
  const to = { url: request.deviceUrl, property: 'deviceUrl' as const };
  const answer = await postForm(context, to, form, signal);
  if (!answer.ok) throw signInError(answer.error, 'device', answer.status);
  return deviceCodeFrom(answer.body);
}

function deviceCodeFrom(body: JsonObject): DeviceAuthorization {
  // Google says verification_url, RFC 8628 verification_uri.
  const verificationUrl =
    optionalMember(body, 'verification_url', isNonEmptyString) ??
    member(body, 'verification_uri', isNonEmptyString);
  const complete =
    optionalMember(body, 'verification_url_complete', isNonEmptyString) ??
    optionalMember(body, 'verification_uri_complete', isNonEmptyString);
  return {
    deviceCode: member(body, 'device_code', isNonEmptyString),
    userCode: member(body, 'user_code', isNonEmptyString),
    verificationUrl: webPage(verificationUrl),
    ...(complete === undefined ? {} : { verificationUrlComplete: webPage(complete) }),
    expiresIn: Math.min(
      LONGEST_EXPIRES_IN,
      positive(optionalMember(body, 'expires_in', isNumber), DEFAULT_EXPIRES_IN, 'expires_in'),
    ),
    interval: positive(optionalMember(body, 'interval', isNumber), DEFAULT_INTERVAL, 'interval'),
  };
}

/** The address becomes a link in the editor, so it must be one of a web page. */
function webPage(address: string): string {
  if (/^https?:\/\/[^\s"'<>]+$/i.test(address)) return address;
  throw badResponse('bad_response_type', { member: 'verification_url' });
}

function positive(value: number | undefined, otherwise: number, name: string): number {
  if (value === undefined) return otherwise;
  if (value <= 0) throw badResponse('bad_response_type', { member: name });
  return value;
}

/**
 * Polls until the user has decided, the code has run out or the signal ends it.
 * @returns the tokens, `refreshToken` among them
 * @throws `sign_in_required` with a text for each refusal, `cancelled`
 */
export async function pollForTokens(
  context: OAuthContext,
  client: OAuthClient,
  code: DeviceAuthorization,
  { signal, onPollError }: PollOptions = {},
): Promise<Tokens> {
  const { clock } = context;
  const end = clock.monotonic() + code.expiresIn * 1_000;
  let interval = code.interval;
  for (;;) {
    await clock.sleep(interval * 1_000, signal);
    if (clock.monotonic() >= end) throw signInError('expired_token', 'device');
    const poll = await pollOnce(context, client, code.deviceCode, signal);
    onPollError?.(poll.state === 'pending' ? poll.trouble : undefined);
    if (poll.state === 'authorized') return poll.tokens;
    if (poll.state === 'slow_down') interval += SLOW_DOWN;
  }
}

async function pollOnce(
  context: OAuthContext,
  client: OAuthClient,
  deviceCode: string,
  signal: AbortSignal | undefined,
): Promise<Poll> {
  const form = {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    device_code: deviceCode,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
  };
  let answer;
  try {
    answer = await postForm(context, tokenEndpoint(client), form, signal);
  } catch (error) {
    // A lost line or a server in trouble says nothing about the user's decision (RFC 8628 3.5).
    if (isDriveError(error) && error.retryable) return { state: 'pending', trouble: error };
    throw error;
  }
  if (answer.ok) return { state: 'authorized', tokens: parseTokenResponse(answer.body, context.clock.now()) };
  if (answer.error === 'authorization_pending') return { state: 'pending' };
  if (answer.error === 'slow_down') return { state: 'slow_down' };
  throw signInError(answer.error, 'device', answer.status);
}
