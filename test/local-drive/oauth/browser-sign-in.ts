import type { Request, Response } from 'express';
import { queryOf } from '../http/query-parameters';
import { redirectUrl } from './authorization-codes';
import { findClient } from './clients';
import { readForm } from './form';
import { OAuthError } from './oauth-error';
import { consentPage, escapeHtml, page } from './pages';
import { checkScope } from './scopes';
import type { OAuthBackend } from './token-endpoint';

/** GET /o/oauth2/v2/auth: the consent page (RFC 6749 4.1.1 with PKCE, RFC 7636 4.3). */
export function showConsent(state: OAuthBackend, request: Request, response: Response): void {
  const query = queryOf(request);
  const redirectUri = query.get('redirect_uri') ?? '';
  const clientId = query.get('client_id') ?? '';
  try {
    findClient(state.clients, clientId, 'installed');
    checkRedirectUri(redirectUri);
  } catch (error) {
    // Without a trusted address to return to the browser must stay here (RFC 6749 4.1.2.1).
    const message = error instanceof OAuthError ? `${error.error}: ${error.message}` : 'invalid_request';
    response
      .status(400)
      .type('html')
      .send(page('Access blocked', `<p>${escapeHtml(message)}</p>`));
    return;
  }
  const returning = { redirectUri, state: query.get('state') ?? undefined };
  try {
    const challenge = checkAuthorizationRequest(query);
    const scope = query.get('scope') ?? '';
    const handle = state.codes.begin({ ...returning, clientId, scope, challenge });
    response.type('html').send(consentPage(clientId, scope, handle));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    response.redirect(302, redirectUrl(returning, { error: error.error }));
  }
}

/** POST /o/oauth2/v2/auth: the person's answer, which sends the browser back to the application. */
export async function submitConsent(
  state: OAuthBackend,
  request: Request,
  response: Response,
): Promise<void> {
  const form = await readForm(request);
  const action = form.get('action');
  const address =
    action === 'approve' || action === 'deny'
      ? state.codes.decide(form.get('request') ?? '', action)
      : undefined;
  if (address) response.redirect(302, address);
  else response.status(400).type('html').send(page('This sign-in is over', '<p>Please start it again.</p>'));
}

function checkAuthorizationRequest(query: URLSearchParams): string {
  if (query.get('response_type') !== 'code') {
    throw new OAuthError(400, 'unsupported_response_type', 'Only code is supported.');
  }
  const challenge = query.get('code_challenge');
  if (!challenge || query.get('code_challenge_method') !== 'S256') {
    throw new OAuthError(400, 'invalid_request', 'A code_challenge with the method S256 is required.');
  }
  checkScope(query.get('scope') ?? '', 'code');
  return challenge;
}

/** Loopback for programs of this machine (RFC 8252 7.3), https for everything else. */
function checkRedirectUri(text: string): void {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address?.hostname ?? '');
  if (address?.protocol === 'https:' || (address?.protocol === 'http:' && loopback)) return;
  throw new OAuthError(400, 'redirect_uri_mismatch', 'The redirect_uri must be https or http on loopback.');
}
