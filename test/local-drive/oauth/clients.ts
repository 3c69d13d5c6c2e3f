import type { IncomingMessage } from 'node:http';
import { OAuthError, missingParameter } from './oauth-error';

/** A registered application. */
export interface OAuthClient {
  id: string;
  secret: string;
  /**
   * `device` ("TVs and Limited Input devices") allows the device flow only, `installed` the authorization code flow
   * only, `any` (the default) both.
   */
  type?: 'device' | 'installed' | 'any';
}

const INVALID_CLIENT = 'The OAuth client was not found or is of the wrong type.';

/** The client with this id; invalid_client if it is unknown or may not use the flow. */
export function findClient(clients: OAuthClient[], id: string, flow: 'device' | 'installed'): OAuthClient {
  const client = clients.find((each) => each.id === id);
  const type = client?.type ?? 'any';
  if (!client || (type !== 'any' && type !== flow))
    throw new OAuthError(401, 'invalid_client', INVALID_CLIENT);
  return client;
}

/** Authenticates a client by form fields or HTTP Basic (RFC 6749 section 2.3.1). */
export function authenticateClient(
  clients: OAuthClient[],
  form: URLSearchParams,
  request: IncomingMessage,
): OAuthClient {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
    : [form.get('client_id'), form.get('client_secret')];
  if (!id) throw missingParameter('client_id');
  const client = clients.find((each) => each.id === id);
  if (!client || secret !== client.secret) throw new OAuthError(401, 'invalid_client', 'Unauthorized');
  return client;
}
