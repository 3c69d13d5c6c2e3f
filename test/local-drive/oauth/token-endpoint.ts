import type { IncomingMessage } from 'node:http';
import { type FaultEffects, contextOf } from '../http/request-context';
import type { AuthorizationCodes } from './authorization-codes';
import { authenticateClient, findClient, type OAuthClient } from './clients';
import type { DeviceCodes } from './device-codes';
import { readForm, requiredField } from './form';
import type { Grants, TokenResponse } from './grants';
import { OAuthError } from './oauth-error';

/** Everything the OAuth endpoints know. */
export interface OAuthBackend {
  clients: OAuthClient[];
  grants: Grants;
  devices: DeviceCodes;
  codes: AuthorizationCodes;
}

type GrantType = (
  state: OAuthBackend,
  client: OAuthClient,
  form: URLSearchParams,
  effects: FaultEffects,
) => Promise<TokenResponse>;

const GRANT_TYPES: Record<string, GrantType> = {
  /** RFC 8628 3.4 */
  'urn:ietf:params:oauth:grant-type:device_code': async (state, client, form) => {
    findClient(state.clients, client.id, 'device');
    const scope = state.devices.poll(client.id, requiredField(form, 'device_code'));
    return state.grants.issue(client.id, scope);
  },
  /** RFC 6749 6 */
  refresh_token: async (state, client, form, { rotateRefreshToken }) =>
    state.grants.refresh(client.id, requiredField(form, 'refresh_token'), rotateRefreshToken),
  /** RFC 6749 4.1.3 with RFC 7636 4.5 */
  authorization_code: async (state, client, form) => {
    const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) =>
      requiredField(form, name),
    ) as [string, string, string];
    const scope = state.codes.redeem(client.id, code, redirectUri, verifier);
    return state.grants.issue(client.id, scope);
  },
};

/** POST /token: one endpoint, the grant type decides (RFC 6749 3.2). */
export async function handleTokenRequest(
  state: OAuthBackend,
  request: IncomingMessage,
): Promise<TokenResponse> {
  const form = await readForm(request);
  const name = requiredField(form, 'grant_type');
  const grantType = Object.hasOwn(GRANT_TYPES, name) ? GRANT_TYPES[name] : undefined;
  if (!grantType) {
    throw new OAuthError(400, 'unsupported_grant_type', 'Invalid grant_type.');
  }
  const { effects } = contextOf(request);
  return grantType(state, authenticateClient(state.clients, form, request), form, effects);
}
