/**
 * The client JSON that a service issues for an application, such as Google's `client_secret_….json`.
 * https://developers.google.com/identity/protocols/oauth2/native-app#obtaining-client-ids
 */
import { urlProblem } from '../../shared/editor/url-check';
import { isObject } from '../../shared/contract/values';
import { parseJson } from '../../shared/editor/input-checks';

export interface ClientJson {
  clientId: string;
  clientSecret: string;
  /** `''` if the JSON has no token endpoint. */
  tokenUrl: string;
  /** The authorization endpoint; `''` if the JSON has none or an unusable one. */
  authUrl: string;
  /** Fields of another service by property of the account, as its JSON may bring them. */
  settings: Record<string, string>;
  /** How this type of client signs in; undefined if the JSON doesn't say. */
  signInMethod?: ClientSignInMethod;
}

/** With a redirect to a web URL, or to the user's own machine. */
export type ClientSignInMethod = 'browser' | 'paste';

/** A key below `record` in the catalogue. */
export type ClientJsonProblem =
  'no_json' | 'no_client' | 'no_client_id' | 'no_client_secret' | 'bad_token_uri' | 'insecure_token_uri';

/** Google's client JSON has none of these members. */
const SERVICE_MEMBERS = {
  base_url: 'baseUrl',
  device_uri: 'deviceUrl',
  revoke_uri: 'revokeUrl',
  scope: 'scope',
  folder_mime_type: 'folderMimeType',
} as const;

export function parseClientJson(text: string): ClientJson | ClientJsonProblem {
  const json = parseJson(text);
  if (!isObject(json)) return 'no_json';
  const client = [json['installed'], json['web']].find(isObject);
  if (!client) return 'no_client';
  const clientId = trimmedText(client['client_id']);
  if (clientId === '') return 'no_client_id';
  const clientSecret = trimmedText(client['client_secret']);
  if (clientSecret === '') return 'no_client_secret';
  const tokenUrl = client['token_uri'] ?? '';
  if (typeof tokenUrl !== 'string') return 'bad_token_uri';
  const problem = tokenUrl === '' ? undefined : urlProblem(tokenUrl);
  if (problem) return problem === 'address' ? 'bad_token_uri' : 'insecure_token_uri';
  const authUri = client['auth_uri'];
  const authUrl = typeof authUri === 'string' && urlProblem(authUri) === undefined ? authUri : '';
  const members = Object.entries(SERVICE_MEMBERS).map(([name, property]) => [
    property,
    trimmedText(client[name]),
  ]);
  const settings = Object.fromEntries(members.filter(([, value]) => value !== '')) as Record<string, string>;
  return { clientId, clientSecret, tokenUrl, authUrl, settings, signInMethod: signInMethodOf(json, client) };
}

/** A client for devices is `installed` as well, but has no redirect URI for a browser. */
function signInMethodOf(
  json: Record<string, unknown>,
  client: Record<string, unknown>,
): ClientSignInMethod | undefined {
  if (!isObject(json['installed'])) return 'browser';
  const redirectUris: unknown = client['redirect_uris'];
  return Array.isArray(redirectUris) && redirectUris.includes('http://localhost') ? 'paste' : undefined;
}

/** @returns `''` for anything but a text */
function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
