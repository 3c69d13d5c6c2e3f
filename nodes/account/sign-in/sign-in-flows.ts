/** Starts the two sign-in flows: instructions for the user, and a promise of the tokens. */
import { randomBytes } from 'node:crypto';
import {
  type AuthorizationRequest,
  checkRedirectUri,
  countChosenFiles,
  DriveClient,
  DriveError,
  exchangeCode,
  isObject,
  isString,
  type OAuthClient,
  type OAuthContext,
  pollForTokens,
  readAuthorizationResponse,
  startBrowserFlow,
  startDeviceFlow,
  type Tokens,
} from '../../../src/index';
import type { AccountSettings } from '../settings/settings';
import { missingProperty } from '../settings/urls';
import type { DriveUser, SignInInstructions } from '../../shared/contract/account-api';

export interface StartedFlow {
  instructions: SignInInstructions;
  tokens: Promise<Tokens>;
  /** Of a browser sign-in. */
  authorization?: PendingAuthorization;
}

/** @throws the error response of the service, `not_configured` if the device URL or the scope is missing */
export async function startDevice(
  signal: AbortSignal,
  settings: AccountSettings,
  context: OAuthContext,
  onPolled: (error: DriveError | undefined) => void,
): Promise<StartedFlow> {
  check(settings, 'deviceUrl');
  const { client, scope } = settings;
  const { deviceUrl } = settings.urls;
  const code = await startDeviceFlow(context, { deviceUrl, clientId: client.clientId, scope }, signal);
  const { deviceCode: _secret, ...shown } = code;
  return {
    instructions: { flow: 'device', ...shown },
    tokens: pollForTokens(context, client, code, { signal, onPolled }),
  };
}

export interface BrowserSignIn {
  redirectUri: string;
  /** Whether the user also chooses existing files, if the account sees only those of its Google Cloud project. */
  chooseFiles?: boolean;
}

/** Sends no request yet. @throws `not_configured`, `insecure_url`, `invalid_input` */
export function startBrowser(
  signal: AbortSignal,
  settings: AccountSettings,
  context: OAuthContext,
  { redirectUri, chooseFiles = false }: BrowserSignIn,
): StartedFlow {
  check(settings, 'authUrl');
  checkRedirectUri(redirectUri);
  const { client, scope, urls, service, seesProjectOnly } = settings;
  const request = {
    ...{ authUrl: urls.authUrl, clientId: client.clientId, scope, redirectUri },
    offlineAccess: service.can.offlineAccess,
    chooseFiles: chooseFiles && seesProjectOnly,
  };
  const flow = startBrowserFlow(request, randomBytes);
  const authorization = new PendingAuthorization(flow);
  const { authorizationUrl } = flow;
  return {
    instructions: { flow: 'browser', expiresIn: BROWSER_LIFETIME / 1_000, authorizationUrl, redirectUri },
    tokens: authorization.tokens(context, client, signal),
    authorization,
  };
}

function check({ urls, scope }: AccountSettings, urlProperty: 'deviceUrl' | 'authUrl'): void {
  if (urls[urlProperty] === '') throw missingProperty(urlProperty);
  if (scope === '') throw missingProperty('scope');
}

/** How long a user may take to sign in on the service's pages, ms. */
const BROWSER_LIFETIME = 10 * 60_000;

export class PendingAuthorization {
  /** Ends the wait, on a response or a cancel. */
  private readonly waitController = new AbortController();
  private response: URLSearchParams | undefined;

  constructor(private readonly flow: AuthorizationRequest) {}

  get hasResponse(): boolean {
    return this.response !== undefined;
  }

  /** The number of existing files that the user has chosen. */
  get chosenFiles(): number {
    return this.response ? countChosenFiles(this.response) : 0;
  }

  /**
   * Accepts an authorization response once.
   * @returns false if it belongs to another request, or if there was a response already
   */
  accept(response: URLSearchParams): boolean {
    const [state, ...more] = response.getAll('state');
    if (this.response || state !== this.flow.state || more.length > 0) return false;
    this.response = response;
    this.waitController.abort();
    return true;
  }

  /** @throws `sign_in_required` with a text for the error response or the timeout, `cancelled`, … */
  async tokens(context: OAuthContext, client: OAuthClient, signal: AbortSignal): Promise<Tokens> {
    await this.wait(context, signal);
    if (!this.response)
      throw new DriveError('sign_in_required', { text: 'sign_in_refused_nobody_came_back' });
    const code = readAuthorizationResponse(this.response);
    return exchangeCode(context, client, { ...this.flow, code }, signal);
  }

  private async wait({ clock }: OAuthContext, signal: AbortSignal): Promise<void> {
    const stop = (): void => this.waitController.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await clock.sleep(BROWSER_LIFETIME, this.waitController.signal);
    } catch (error) {
      if (signal.aborted || !this.waitController.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** @throws `invalid_input` if the URL isn't the redirect URL of this sign-in */
export function acceptRedirectUrl(authorization: PendingAuthorization, redirectUrl: string): void {
  const response = parseRedirectUrl(redirectUrl);
  if (!response?.has('code') && !response?.has('error')) {
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected' });
  }
  if (!authorization.accept(response))
    throw new DriveError('invalid_input', { text: 'invalid_input_redirected_other' });
}

/** Reads the query of a URL copied from a browser, which may hide the scheme. */
function parseRedirectUrl(redirectUrl: string): URLSearchParams | undefined {
  const text = redirectUrl.trim();
  try {
    return new URL(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`).searchParams;
  } catch {
    return undefined;
  }
}

/** ms. The user's name is optional, so the sign-in doesn't wait longer for it. */
const TIMEOUT = 10_000;

/** @returns the user that the access token belongs to, undefined if the service doesn't return it */
export async function fetchUser(
  { accessToken }: Tokens,
  settings: AccountSettings,
  context: OAuthContext,
  signal: AbortSignal,
): Promise<DriveUser | undefined> {
  const client = clientForToken(accessToken, settings, context);
  const abort = new AbortController();
  for (const each of [signal, AbortSignal.timeout(TIMEOUT)]) {
    each.addEventListener('abort', () => abort.abort(), { once: true, signal: abort.signal });
  }
  try {
    return parseUser((await client.getAbout('user', { signal: abort.signal }))['user']);
  } catch {
    return undefined;
  } finally {
    abort.abort();
  }
}

/** A client for the access token of a sign-in whose account isn't deployed yet. It neither refreshes nor retries. */
function clientForToken(
  accessToken: string,
  { service, requestsPerSecond, maxTransfers, bandwidth }: AccountSettings,
  { http, clock }: OAuthContext,
): DriveClient {
  return new DriveClient({
    http,
    clock,
    service,
    requestsPerSecond,
    maxTransfers,
    bandwidth,
    random: Math.random,
    retryFor: 0,
    tokens: {
      get: () => Promise.resolve(accessToken),
      renew: () => Promise.reject(new DriveError('sign_in_required')),
    },
  });
}

export function parseUser(user: unknown): DriveUser | undefined {
  if (!isObject(user)) return undefined;
  const { displayName, emailAddress } = user;
  return { ...(isString(displayName) && { displayName }), ...(isString(emailAddress) && { emailAddress }) };
}
