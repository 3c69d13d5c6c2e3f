/** Starts the two sign-in flows: instructions for the user, and a promise of the tokens. */
import { randomBytes } from 'node:crypto';
import {
  type DriveError,
  type OAuthContext,
  type Tokens,
  checkRedirectUri,
  pollForTokens,
  startBrowserFlow,
  startDeviceFlow,
} from '../../../src/index';
import { missingProperty } from '../settings/urls';
import type { SignInInstructions } from '../../shared/contract/account-api';
import { BROWSER_LIFETIME, PendingAuthorization } from './pending-authorization';
import type { AccountSettings } from '../settings/settings';
import type { SignInSession } from './sign-in-status';

export interface StartedFlow {
  instructions: SignInInstructions;
  tokens: Promise<Tokens>;
}

/** @throws the error response of the service, `not_configured` if the device URL or the scope is missing */
export async function startDevice(
  { abort: { signal } }: SignInSession,
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
  session: SignInSession,
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
  session.authorization = new PendingAuthorization(flow);
  const { authorizationUrl } = flow;
  return {
    instructions: { flow: 'browser', expiresIn: BROWSER_LIFETIME / 1_000, authorizationUrl, redirectUri },
    tokens: session.authorization.tokens(context, client, session.abort.signal),
  };
}

function check({ urls, scope }: AccountSettings, urlProperty: 'deviceUrl' | 'authUrl'): void {
  if (urls[urlProperty] === '') throw missingProperty(urlProperty);
  if (scope === '') throw missingProperty('scope');
}
