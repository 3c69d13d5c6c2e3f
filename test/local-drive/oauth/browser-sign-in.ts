import type { Request, Response } from 'express';
import { queryOf } from '../http/query-parameters';
import { redirectUrl } from './authorization-codes';
import { findClient } from './clients';
import { readForm } from './form';
import { OAuthError } from './oauth-error';
import { consentPage, escapeHtml, page } from './pages';
import { checkScope } from './scopes';
import type { OAuthBackend } from './token-endpoint';

/** GET /o/oauth2/v2/auth: the consent page (RFC 6749 section 4.1.1 with PKCE, RFC 7636 section 4.3). */
export function showConsent(state: OAuthBackend, request: Request, response: Response): void {
  const query = queryOf(request);
  const redirectUri = query.get('redirect_uri') ?? '';
  const clientId = query.get('client_id') ?? '';
  try {
    findClient(state.clients, clientId, 'installed');
    checkRedirectUri(redirectUri);
  } catch (error) {
    // Without a trusted redirect URI the browser must not be redirected (RFC 6749 section 4.1.2.1).
    const message = error instanceof OAuthError ? `${error.error}: ${error.message}` : 'invalid_request';
    response
      .status(400)
      .type('html')
      .send(page('Access blocked', `<p>${escapeHtml(message)}</p>`));
    return;
  }
  const redirect = { redirectUri, state: query.get('state') ?? undefined };
  try {
    const challenge = checkAuthorizationRequest(query);
    const scope = query.get('scope') ?? '';
    const handle = state.codes.begin({ ...redirect, clientId, scope, challenge });
    const picks = query.get('trigger_onepick') === 'true';
    response.type('html').send(consentPage(clientId, scope, { handle, picks }));
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    response.redirect(302, redirectUrl(redirect, { error: error.error }));
  }
}

/** POST /o/oauth2/v2/auth: the user's decision; redirects the browser to the application. */
export async function submitConsent(
  state: OAuthBackend,
  request: Request,
  response: Response,
): Promise<void> {
  const form = await readForm(request);
  const action = form.get('action');
  const url =
    action === 'approve' || action === 'deny'
      ? state.codes.decide(form.get('request') ?? '', action, form.get('picked') ?? '')
      : undefined;
  if (url) response.redirect(302, url);
  else
    response.status(400).type('html').send(page('This sign-in has ended', '<p>Please start it again.</p>'));
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

/** HTTP for loopback only (RFC 8252 section 7.3), HTTPS for everything else. */
function checkRedirectUri(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return;
  throw new OAuthError(400, 'redirect_uri_mismatch', 'The redirect_uri must be https or http on loopback.');
}
