import type { IncomingMessage } from 'node:http';
import { type FaultEffects, contextOf } from '../http/request-context';
import type { AuthorizationCodes } from './authorization-codes';
import { authenticateClient, findClient, type OAuthClient } from './clients';
import type { DeviceCodes } from './device-codes';
import { readForm, requiredField } from './form';
import type { Grants, TokenResponse } from './grants';
import { OAuthError } from './oauth-error';
import type { ServiceAccounts } from './service-accounts';

/** The stores behind the OAuth endpoints. */
export interface OAuthBackend {
  clients: OAuthClient[];
  grants: Grants;
  devices: DeviceCodes;
  codes: AuthorizationCodes;
  serviceAccounts: ServiceAccounts;
}

type GrantHandler = (
  state: OAuthBackend,
  client: OAuthClient,
  form: URLSearchParams,
  effects: FaultEffects,
) => Promise<TokenResponse>;

const GRANT_HANDLERS: Record<string, GrantHandler> = {
  /** RFC 8628 section 3.4 */
  'urn:ietf:params:oauth:grant-type:device_code': async (state, client, form) => {
    findClient(state.clients, client.id, 'device');
    const scope = state.devices.poll(client.id, requiredField(form, 'device_code'));
    return state.grants.issue(client.id, scope);
  },
  /** RFC 6749 section 6 */
  refresh_token: async (state, client, form, { rotateRefreshToken }) =>
    state.grants.refresh(client.id, requiredField(form, 'refresh_token'), rotateRefreshToken),
  /** RFC 6749 section 4.1.3 with RFC 7636 section 4.5 */
  authorization_code: async (state, client, form) => {
    const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
      requiredField(form, name),
    ) as [string, string, string];
    const scope = state.codes.redeem(client.id, code, redirectUri, verifier);
    return state.grants.issue(client.id, scope);
  },
};

/** RFC 7523 section 2.1: the assertion authenticates the client. */
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * POST /token (RFC 6749 section 3.2).
 * @param tokenUrl its own URL
 */
export async function handleTokenRequest(
  state: OAuthBackend,
  request: IncomingMessage,
  tokenUrl: string,
): Promise<TokenResponse> {
  const form = await readForm(request);
  const name = requiredField(form, 'grant_type');
  if (name === JWT_GRANT) {
    const grant = state.serviceAccounts.redeem(requiredField(form, 'assertion'), tokenUrl);
    return state.grants.issueForJwt(grant);
  }
  const handler = Object.hasOwn(GRANT_HANDLERS, name) ? GRANT_HANDLERS[name] : undefined;
  if (!handler) {
    throw new OAuthError(400, 'unsupported_grant_type', 'Invalid grant_type.');
  }
  const { effects } = contextOf(request);
  return handler(state, authenticateClient(state.clients, form, request), form, effects);
}
