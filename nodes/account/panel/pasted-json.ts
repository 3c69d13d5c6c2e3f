/** JSON that users paste into the account's dialog: a client JSON, a token response or a service account key. */
import { isObject } from '../../shared/contract/values';
import { parseJson } from '../../shared/editor/input-checks';
import { urlProblem } from '../../shared/editor/url-check';

/**
 * The client JSON that a service issues for an application, such as Google's `client_secret_….json`.
 * https://developers.google.com/identity/protocols/oauth2/native-app#obtaining-client-ids
 */
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

/**
 * A token response as JSON (RFC 6749 section 5.1), or in rclone's form: with an `expiry`, and in its configuration
 * file after `token =`. https://rclone.org/drive/#drive-token
 */
export interface TokenJson {
  /** `''` if there is none. At least one of the two tokens is present. */
  refreshToken: string;
  accessToken: string;
}

/** A key below `record` in the catalogue, or the error code of an error response. */
export type TokenJsonProblem = 'no_json' | 'no_token' | { error: string };

/** @param now milliseconds since 1970 */
export function parseTokenJson(text: string, now: number): TokenJson | TokenJsonProblem {
  const json = parseJson(rcloneToken(text) ?? text);
  if (!isObject(json)) return 'no_json';
  const { error } = json;
  if (typeof error === 'string' && error !== '') return { error };
  const refreshToken = trimmedText(json['refresh_token']);
  // An expired access token would only cost a rejected request.
  const accessToken =
    refreshToken !== '' && isExpired(json['expiry'], now) ? '' : trimmedText(json['access_token']);
  return refreshToken || accessToken ? { refreshToken, accessToken } : 'no_token';
}

/** rclone's configuration file has the JSON on one line. */
function rcloneToken(text: string): string | undefined {
  return /^[ \t]*token[ \t]*=[ \t]*(.+)$/m.exec(text)?.[1];
}

function isExpired(expiry: unknown, now: number): boolean {
  return typeof expiry === 'string' && Date.parse(expiry) <= now;
}

/**
 * The key file of a service account.
 * https://developers.google.com/workspace/guides/create-credentials#create_credentials_for_a_service_account
 */
export interface ServiceAccountJson {
  /** The JSON on one line, as the credential is stored. */
  json: string;
  account: string;
}

/** A key below `record` in the catalogue. */
export type ServiceAccountJsonProblem = 'no_json' | 'key_type' | 'key_incomplete';

export function parseServiceAccountJson(text: string): ServiceAccountJson | ServiceAccountJsonProblem {
  const json = parseJson(text);
  if (!isObject(json)) return 'no_json';
  const { type, client_email: account, private_key: key } = json;
  if (type !== 'service_account') return 'key_type';
  if (typeof account !== 'string' || account === '' || typeof key !== 'string' || key === '')
    return 'key_incomplete';
  return { json: JSON.stringify(json), account };
}
