/**
 * Signing in with a browser: authorization code with PKCE. RFC 6749 4.1, RFC 7636, RFC 8252, RFC 9700 2.1.
 * Make the address, let the person go there, exchange the code with which the browser comes back.
 * https://developers.google.com/identity/protocols/oauth2/web-server
 */
import { createHash } from 'node:crypto';
import { DriveError, isDriveError } from '../errors';
import { secureUrl, withQuery } from '../http/url';
import { badResponse } from '../http/json';
import type { OAuthClient, Tokens } from '../types';
import { signInError } from './sign-in-error';
import { type OAuthContext, postForm, tokenEndpoint, parseTokenResponse } from './token-endpoint';

export interface AuthorizationOptions {
  authUrl: string;
  clientId: string;
  scope: string;
  /** Where the browser shall end; one that {@link checkRedirectUri} lets pass. */
  redirectUri: string;
  /** Asks in Google's words for a refresh token, which it gives to nobody who doesn't. */
  offlineAccess: boolean;
}

export interface AuthorizationRequest {
  /** The page on which the person signs in and approves. */
  authorizationUrl: string;
  /** Marks the answer as one to this request. */
  state: string;
  /** Secret: proves that whoever exchanges the code has asked for it. */
  codeVerifier: string;
  redirectUri: string;
}

/** Bytes; RFC 7636 4.1 recommends 32. */
const RANDOM_BYTES = 32;

/** @param random so many random bytes */
export function startBrowserFlow(
  request: AuthorizationOptions,
  random: (bytes: number) => Buffer,
): AuthorizationRequest {
  const { authUrl, clientId, scope, redirectUri, offlineAccess } = request;
  const state = random(RANDOM_BYTES).toString('base64url');
  const codeVerifier = random(RANDOM_BYTES).toString('base64url');
  const authorizationUrl = withQuery(authUrl, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challengeOf(codeVerifier),
    code_challenge_method: 'S256',
    ...(offlineAccess ? { access_type: 'offline', prompt: 'consent' } : {}),
  });
  return { authorizationUrl, state, codeVerifier, redirectUri };
}

/** RFC 7636 4.2, S256. */
function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/**
 * Checks where a browser may be sent back to: https, or http on the person's own machine (RFC 8252 7.3).
 * @throws `insecure_url`, `invalid_input`
 */
export function checkRedirectUri(redirectUri: string): void {
  let url: URL;
  try {
    url = secureUrl(redirectUri, 'redirectUri');
  } catch (error) {
    if (isDriveError(error, 'insecure_url')) {
      throw new DriveError('insecure_url', { text: 'insecure_url_redirect', params: error.params });
    }
    throw badRedirectUri();
  }
  // RFC 6749 3.1.2; the answer is put into the query.
  if (url.hash !== '' || url.search !== '') throw badRedirectUri();
}

function badRedirectUri(): DriveError {
  return new DriveError('invalid_input', {
    text: 'invalid_input_request',
    params: { property: 'redirectUri' },
  });
}

/** RFC 6749 A.11; what else comes is no code. */
const CODE = /^[\x20-\x7e]{1,4096}$/;

/**
 * Reads what the browser came back with: RFC 6749 4.1.2.
 * @returns the code
 * @throws `sign_in_required` with a text for each refusal, `bad_response`
 */
export function readAuthorizationResponse(answer: URLSearchParams): string {
  const error = only(answer, 'error');
  if (error !== undefined) throw signInError(error, 'browser');
  const code = only(answer, 'code');
  if (code === undefined) throw badResponse('bad_response_missing', { member: 'code' });
  if (!CODE.test(code)) throw badResponse('bad_response_type', { member: 'code' });
  return code;
}

/** RFC 6749 3.1: no parameter comes twice. */
function only(answer: URLSearchParams, name: string): string | undefined {
  const values = answer.getAll(name).filter((value) => value !== '');
  if (values.length > 1) throw badResponse('bad_response_type', { member: name });
  return values[0];
}

/**
 * Exchanges the code for tokens: RFC 6749 4.1.3, RFC 7636 4.5.
 * @throws `sign_in_required` with a text for each refusal, `bad_response`, `network`, …
 */
export async function exchangeCode(
  context: OAuthContext,
  client: OAuthClient,
  {
    code,
    codeVerifier,
    redirectUri,
  }: Pick<AuthorizationRequest, 'codeVerifier' | 'redirectUri'> & { code: string },
  signal?: AbortSignal,
): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: client.clientId,
    // A public client has none (RFC 6749 2.1).
    ...(client.clientSecret === '' ? {} : { client_secret: client.clientSecret }),
  };
  const answer = await postForm(context, tokenEndpoint(client), form, signal);
  if (!answer.ok) throw signInError(answer.error, 'browser', answer.status);
  return parseTokenResponse(answer.body, context.clock.now());
}
