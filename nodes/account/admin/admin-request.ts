/** What the editor sends to start a sign-in, checked: the properties of its form as they are in it. */
import { DriveError } from '../../../src/index';
import { URL_PROPERTIES, haveSameUrls } from '../settings/urls';
import { type Properties, textProperty } from '../settings/properties';

export interface SignInRequest {
  flow: 'device' | 'browser';
  /** Where the browser shall end; `''` with a device code. */
  redirectUri: string;
  config: Properties;
  credentials: { clientId: string; clientSecret: string };
}

/** What Node-RED's editor puts in place of a password it doesn't know: keep the stored one. */
const STORED = '__PWRD__';
const LONGEST = 4_096;
/** Of an address with a code, its state and its scopes. */
const LONGEST_ADDRESS = 16_384;

const TEXTS = [
  'service',
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
    if (typeof value !== 'string' || value.length > LONGEST) throw invalidRequest(name);
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

/** The address that was pasted. @throws `invalid_input` */
export function redirectUrlIn(body: unknown): string {
  const redirected: unknown =
    typeof body === 'object' && body !== null ? (body as Properties)['redirected'] : undefined;
  if (typeof redirected !== 'string' || redirected.length > LONGEST_ADDRESS)
    throw invalidRequest('redirected');
  return redirected;
}

/**
 * The client's secret to sign in with. The stored one goes only where the deployed node would send it: whoever may edit
 * flows must not get to know it by naming a server of their own.
 * @param deployed the properties and the secret of the deployed node, environment variables in place
 * @throws `permission_denied` where an address differs, `not_configured` where no secret is stored
 */
export function clientSecretFor(
  given: string,
  config: Properties,
  deployed: { config: Properties; credentials: Properties } | undefined,
): string {
  if (given !== STORED) return given;
  const stored = deployed ? textProperty(deployed.credentials, 'clientSecret') : '';
  if (!deployed || stored === '') {
    throw new DriveError('not_configured', { text: 'not_configured_client_secret' });
  }
  if (haveSameUrls(config, deployed.config)) return stored;
  throw new DriveError('permission_denied', { text: 'permission_denied_stored_secret' });
}

/** Ids become keys in Node-RED's credentials: nothing that every object has. */
export function checkNodeId(id: string): string {
  if (/^[\w.-]{1,100}$/.test(id) && !(id in {})) return id;
  throw invalidRequest('id');
}

/** The error for what the editor sent. */
export function invalidRequest(property: string): DriveError {
  return new DriveError('invalid_input', { text: 'invalid_input_request', params: { property } });
}
