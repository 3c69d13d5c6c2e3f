/** Validates the requests of the account's panel. The properties are those of its form, unsaved changes included. */
import { DriveError } from '../../../src/index';
import { invalidRequest } from '../../shared/admin/admin-guard';
import { URL_PROPERTIES } from '../../shared/contract/account-config';
import { haveSameUrls } from '../settings/urls';
import { type Properties, textProperty } from '../settings/properties';

export interface SignInRequest {
  flow: 'device' | 'browser';
  /** `''` for the device flow. */
  redirectUri: string;
  config: Properties;
  credentials: { clientId: string; clientSecret: string };
}

/** Node-RED's editor sends this for a password that the user hasn't changed. */
const STORED_PASSWORD = '__PWRD__';
const MAX_LENGTH = 4_096;
/** A redirect URL contains a code, the state and the scopes. */
const MAX_URL_LENGTH = 16_384;

const TEXTS = [
  'service',
  'auth',
  'subject',
  ...URL_PROPERTIES,
  'folderMimeType',
  'scope',
  'driveId',
  'clientId',
  'clientSecret',
  'redirectUri',
];
const NUMBERS = ['requestsPerSecond', 'maxTransfers', 'retryFor', 'timeout', 'bandwidth'];

/** @throws `invalid_input` naming the property */
export function signInRequest(body: unknown): SignInRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest('body');
  const given = body as Properties;
  const { flow } = given;
  if (flow !== 'device' && flow !== 'browser') throw invalidRequest('flow');
  for (const name of TEXTS) {
    const value = given[name] ?? '';
    if (typeof value !== 'string' || value.length > MAX_LENGTH) throw invalidRequest(name);
  }
  for (const name of NUMBERS) {
    if (!['undefined', 'string', 'number'].includes(typeof given[name])) throw invalidRequest(name);
  }
  const redirectUri = textProperty(given, 'redirectUri');
  if (flow === 'browser' && redirectUri === '') throw invalidRequest('redirectUri');
  const known = [...TEXTS, ...NUMBERS].filter((name) => Object.hasOwn(given, name));
  const config = Object.fromEntries(known.map((name) => [name, given[name]]));
  return {
    flow,
    redirectUri,
    config,
    credentials: {
      clientId: textProperty(given, 'clientId'),
      clientSecret: textProperty(given, 'clientSecret'),
    },
  };
}

/** @returns the redirect URL that the user pasted. @throws `invalid_input` */
export function redirectUrlIn(body: unknown): string {
  const redirected: unknown =
    typeof body === 'object' && body !== null ? (body as Properties)['redirected'] : undefined;
  if (typeof redirected !== 'string' || redirected.length > MAX_URL_LENGTH)
    throw invalidRequest('redirected');
  return redirected;
}

/**
 * The client secret of a sign-in. The stored one is sent only to the URLs of the deployed node: otherwise everyone who
 * may edit flows could read it by entering a server of their own.
 * @param deployed configuration and credentials of the deployed node, with environment variables resolved
 * @throws `permission_denied` if a URL differs, `not_configured` if no secret is stored
 */
export function clientSecretFor(
  given: string,
  config: Properties,
  deployed: { config: Properties; credentials: Properties } | undefined,
): string {
  if (given !== STORED_PASSWORD) return given;
  const stored = deployed ? textProperty(deployed.credentials, 'clientSecret') : '';
  if (!deployed || stored === '') {
    throw new DriveError('not_configured', { text: 'not_configured_client_secret' });
  }
  if (haveSameUrls(config, deployed.config)) return stored;
  throw new DriveError('permission_denied', { text: 'permission_denied_stored_secret' });
}

/** Ids become keys of Node-RED's credentials object, so names such as `__proto__` are rejected. */
export function checkNodeId(id: string): string {
  if (/^[\w.-]{1,100}$/.test(id) && !(id in {})) return id;
  throw invalidRequest('id');
}
