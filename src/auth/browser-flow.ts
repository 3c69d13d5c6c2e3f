/**
 * Sign-in with a browser: the authorization code grant with PKCE. RFC 6749 section 4.1, RFC 7636, RFC 8252,
 * RFC 9700 section 2.1. Three steps: build the authorization URL, read the authorization response from the redirect,
 * exchange the code for tokens.
 * https://developers.google.com/identity/protocols/oauth2/web-server
 */
import { createHash } from 'node:crypto';
import { badResponse, DriveError, isDriveError } from '../errors';
import { secureUrl, withQuery } from '../http/url';
import type { OAuthClient, Tokens } from '../types';
import { signInError } from './oauth-errors';
import { type OAuthContext, parseTokenResponse, postForm, tokenEndpoint } from './token-endpoint';

interface AuthorizationOptions {
  authUrl: string;
  clientId: string;
  scope: string;
  /** A URI that passed {@link checkRedirectUri}. */
  redirectUri: string;
  /** Sends Google's parameters that request a refresh token. */
  offlineAccess: boolean;
  /** Whether the user also chooses existing files, in Google's picker: only with the scope `drive.file`. */
  chooseFiles?: boolean;
}

export interface AuthorizationRequest {
  /** The page on which the user signs in and consents. */
  authorizationUrl: string;
  /** The authorization response must contain the same value. */
  state: string;
  /** Secret: proves that the party that exchanges the code is the one that requested it. */
  codeVerifier: string;
  redirectUri: string;
}

/** Bytes, as RFC 7636 section 4.1 recommends. */
const RANDOM_BYTES = 32;

/** @param random returns the given number of random bytes */
export function startBrowserFlow(
  { authUrl, clientId, scope, redirectUri, offlineAccess, chooseFiles = false }: AuthorizationOptions,
  random: (bytes: number) => Buffer,
): AuthorizationRequest {
  const state = random(RANDOM_BYTES).toString('base64url');
  const codeVerifier = random(RANDOM_BYTES).toString('base64url');
  const authorizationUrl = withQuery(authUrl, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    // RFC 7636 section 4.2
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(offlineAccess ? { access_type: 'offline', prompt: 'consent' } : {}),
    // https://developers.google.com/workspace/drive/picker/guides/desktop-mobile-picker
    ...(chooseFiles ? { trigger_onepick: 'true', allow_multiple: 'true' } : {}),
  });
  return { authorizationUrl, state, codeVerifier, redirectUri };
}

/**
 * Checks a redirect URI: https, or http to a loopback address (RFC 8252 section 7.3), without query and fragment.
 * @throws `insecure_url`, `invalid_input`
 */
export function checkRedirectUri(redirectUri: string): void {
  let url: URL;
  try {
    url = secureUrl(redirectUri, 'redirectUri');
  } catch (error) {
    if (isDriveError(error, 'insecure_url')) {
      throw new DriveError('insecure_url', {
        text: 'insecure_url_redirect',
        params: { host: error.params['host'] ?? '' },
      });
    }
    throw badRedirectUri();
  }
  // RFC 6749 section 3.1.2; the response parameters are added as a query.
  if (url.hash !== '' || url.search !== '') throw badRedirectUri();
}

function badRedirectUri(): DriveError {
  const params = { property: 'redirectUri' };
  return new DriveError('invalid_input', { text: 'invalid_input_request', params });
}

/** RFC 6749 appendix A.11. */
const CODE = /^[\x20-\x7e]{1,4096}$/;

/**
 * Reads the authorization response, RFC 6749 section 4.1.2.
 * @returns the authorization code
 * @throws `sign_in_required` with a text for the `error` parameter, `bad_response`
 */
export function readAuthorizationResponse(response: URLSearchParams): string {
  const error = singleParameter(response, 'error');
  if (error !== undefined) throw signInError(error, 'browser');
  const code = singleParameter(response, 'code');
  if (code === undefined) throw badResponse('bad_response_missing', { member: 'code' });
  if (!CODE.test(code)) throw badResponse('bad_response_type', { member: 'code' });
  return code;
}

/** @returns how many existing files the user has chosen in Google's picker */
export function countChosenFiles(response: URLSearchParams): number {
  return (response.get('picked_file_ids') ?? '').split(',').filter((id) => id.trim() !== '').length;
}

/** RFC 6749 section 3.1: parameters must not occur more than once. */
function singleParameter(response: URLSearchParams, name: string): string | undefined {
  const values = response.getAll(name).filter((value) => value !== '');
  if (values.length > 1) throw badResponse('bad_response_type', { member: name });
  return values[0];
}

/** The code, with the request that it was issued for. */
type CodeExchange = Pick<AuthorizationRequest, 'codeVerifier' | 'redirectUri'> & { code: string };

/**
 * Exchanges the code for tokens: RFC 6749 section 4.1.3, RFC 7636 section 4.5.
 * @throws `sign_in_required` with a text for the error response, `bad_response`, `network`, …
 */
export async function exchangeCode(
  context: OAuthContext,
  client: OAuthClient,
  { code, codeVerifier, redirectUri }: CodeExchange,
  signal?: AbortSignal,
): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    client_id: client.clientId,
    // Public clients have no secret (RFC 6749 section 2.1).
    ...(client.clientSecret === '' ? {} : { client_secret: client.clientSecret }),
  };
  const response = await postForm(context, tokenEndpoint(client), form, signal);
  if (!response.ok) throw signInError(response.error, 'browser', response.status);
  return parseTokenResponse(response.body, context.clock.now());
}
