/** Validates the requests of the account's panel. The properties are those of its form, unsaved changes included. */
import { DriveError } from '../../../src/index';
import { invalidRequest } from '../../shared/admin/admin-guard';
import { URL_PROPERTIES } from '../../shared/contract/account-config';
import { haveSameUrls, resolveUrls } from '../settings/urls';
import { type Properties, textProperty } from '../settings/properties';

/** The form of an account, with unsaved changes. */
export interface AccountForm {
  config: Properties;
  credentials: { clientId: string; clientSecret: string; serviceAccountKey: string };
}

export interface SignInRequest extends AccountForm {
  flow: 'device' | 'browser';
  /** `''` for the device flow. */
  redirectUri: string;
  /** Whether the user also chooses existing files. */
  chooseFiles: boolean;
}

/** Node-RED's editor sends this for a password that the user hasn't changed. */
const STORED_PASSWORD = '__PWRD__';
const MAX_LENGTH = 4_096;
/** The JSON of a service account's key has about 2,400 characters. */
const MAX_KEY_LENGTH = 65_536;
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
  const given = properties(body);
  const { flow, chooseFiles = false } = given;
  if (typeof chooseFiles !== 'boolean') throw invalidRequest('chooseFiles');
  if (flow !== 'device' && flow !== 'browser') throw invalidRequest('flow');
  const form = accountForm(given);
  const redirectUri = textProperty(given, 'redirectUri');
  if (flow === 'browser' && redirectUri === '') throw invalidRequest('redirectUri');
  return { flow, redirectUri, chooseFiles, ...form };
}

/** @throws `invalid_input` naming the property */
export function accountForm(body: unknown): AccountForm {
  const given = properties(body);
  for (const name of [...TEXTS, 'serviceAccountKey']) {
    const value = given[name] ?? '';
    const maximum = name === 'serviceAccountKey' ? MAX_KEY_LENGTH : MAX_LENGTH;
    if (typeof value !== 'string' || value.length > maximum) throw invalidRequest(name);
  }
  for (const name of NUMBERS) {
    if (!['undefined', 'string', 'number'].includes(typeof given[name])) throw invalidRequest(name);
  }
  const known = [...TEXTS, ...NUMBERS].filter((name) => Object.hasOwn(given, name));
  return {
    config: Object.fromEntries(known.map((name) => [name, given[name]])),
    credentials: {
      clientId: textProperty(given, 'clientId'),
      clientSecret: textProperty(given, 'clientSecret'),
      serviceAccountKey: textProperty(given, 'serviceAccountKey'),
    },
  };
}

function properties(body: unknown): Properties {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Properties;
  throw invalidRequest('body');
}

/** @returns the redirect URL that the user pasted. @throws `invalid_input` */
export function redirectUrlIn(body: unknown): string {
  const redirected: unknown =
    typeof body === 'object' && body !== null ? (body as Properties)['redirected'] : undefined;
  if (typeof redirected !== 'string' || redirected.length > MAX_URL_LENGTH)
    throw invalidRequest('redirected');
  return redirected;
}

const STORED_SECRETS = {
  clientSecret: { missing: 'not_configured_client_secret', refused: 'permission_denied_stored_secret' },
  serviceAccountKey: { missing: 'not_configured_key_missing', refused: 'permission_denied_stored_key' },
} as const;

/**
 * A secret of the form. The stored one is used only with the URLs of the deployed node: otherwise everyone who may edit
 * flows could use it with a server of their own.
 * @param given the form's value, with environment variables resolved
 * @param deployed configuration and credentials of the deployed node, with environment variables resolved
 * @throws `permission_denied` if a URL differs, `not_configured` if no secret is stored
 */
export function secretFor(
  name: keyof typeof STORED_SECRETS,
  given: { config: Properties; credentials: Properties },
  deployed: { config: Properties; credentials: Properties } | undefined,
): string {
  const value = textProperty(given.credentials, name);
  if (value !== STORED_PASSWORD) return value;
  const { missing, refused } = STORED_SECRETS[name];
  const stored = deployed ? textProperty(deployed.credentials, name) : '';
  if (!deployed || stored === '') throw new DriveError('not_configured', { text: missing });
  if (haveSameUrls(resolveUrls(given.config), resolveUrls(deployed.config))) return stored;
  throw new DriveError('permission_denied', { text: refused });
}

/** Ids become keys of Node-RED's credentials object, so names such as `__proto__` are rejected. */
export function checkNodeId(id: string): string {
  if (/^[\w.-]{1,100}$/.test(id) && !(id in {})) return id;
  throw invalidRequest('id');
}
