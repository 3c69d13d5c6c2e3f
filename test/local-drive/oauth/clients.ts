import type { IncomingMessage } from 'node:http';
import { OAuthError, missingParameter } from './oauth-error';

/** An application that was registered with the service. */
export interface OAuthClient {
  id: string;
  secret: string;
  /**
   * `device` may use the device flow only ("TVs and Limited Input devices"), `installed` the
   * authorization-code flow only; `any` (the default) both.
   */
  type?: 'device' | 'installed' | 'any';
}

const INVALID_CLIENT = 'The OAuth client was not found or is of the wrong type.';

/** The client of that id, if it may use the flow; otherwise invalid_client. */
export function findClient(clients: OAuthClient[], id: string, flow: 'device' | 'installed'): OAuthClient {
  const client = clients.find((each) => each.id === id);
  const type = client?.type ?? 'any';
  if (!client || (type !== 'any' && type !== flow))
    throw new OAuthError(401, 'invalid_client', INVALID_CLIENT);
  return client;
}

/** The client that proved who it is, by form fields or HTTP Basic (RFC 6749 2.3.1). */
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
