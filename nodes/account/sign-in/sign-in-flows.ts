/** The two ways to sign in: what a person has to do, and how the tokens come of it. */
import { randomBytes } from 'node:crypto';
import {
  type OAuthContext,
  type Tokens,
  checkRedirectUri,
  pollForTokens,
  startBrowserFlow,
  startDeviceFlow,
} from '../../../src/index';
import { missing } from '../settings/urls';
import type { SignInInstructions } from '../../shared/contract/account-api';
import { BROWSER_LIFETIME, BrowserAnswer } from './browser-answer';
import type { AccountSettings } from '../settings/settings';
import type { Session, Trouble } from './sign-in-session';

export interface Begun {
  steps: SignInInstructions;
  tokens: Promise<Tokens>;
}

/** With a device code. @throws what the service answered, `not_configured` where an address or the scope is missing */
export async function beginDevice(
  { abort: { signal } }: Session,
  settings: AccountSettings,
  context: OAuthContext,
  onTrouble: (trouble: Trouble) => void,
): Promise<Begun> {
  check(settings, 'deviceUrl');
  const { client, scope } = settings;
  const { deviceUrl } = settings.addresses;
  const code = await startDeviceFlow(context, { deviceUrl, clientId: client.clientId, scope }, signal);
  const { deviceCode: _secret, ...shown } = code;
  return {
    steps: { flow: 'device', ...shown },
    tokens: pollForTokens(context, client, code, { signal, onTrouble }),
  };
}

/** On the service's page. @throws `not_configured`, `insecure_url`, `invalid_input`; nothing is sent yet */
export function beginBrowser(
  session: Session,
  settings: AccountSettings,
  context: OAuthContext,
  redirectUri: string,
): Begun {
  check(settings, 'authUrl');
  checkRedirectUri(redirectUri);
  const { client, scope, addresses, service } = settings;
  const request = { authUrl: addresses.authUrl, clientId: client.clientId, scope, redirectUri };
  const flow = startBrowserFlow({ ...request, asGoogle: service.kind === 'google' }, randomBytes);
  session.browser = new BrowserAnswer(flow);
  const { authorizationUrl } = flow;
  return {
    steps: { flow: 'browser', expiresIn: BROWSER_LIFETIME / 1_000, authorizationUrl, redirectUri },
    tokens: session.browser.tokens(context, client, session.abort.signal),
  };
}

function check({ addresses, scope }: AccountSettings, address: 'deviceUrl' | 'authUrl'): void {
  if (addresses[address] === '') throw missing(address);
  if (scope === '') throw missing('scope');
}
