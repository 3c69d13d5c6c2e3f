/** Validates the requests of the account's panel. The properties are those of its form, unsaved changes included. */
import { DriveError, isAnyOf, isBoolean, isNumber, isOneOf, isString, isText } from '../../../src/index';
import { REQUEST, invalidRequest, requestText } from '../../shared/admin/admin-guard';
import { type AccountValues, type Properties, TEXTS } from '../settings/settings';
import { haveSameUrls } from '../settings/urls';

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
/** The JSON of a service account's key has about 2,400 characters. */
const MAX_KEY_LENGTH = 65_536;
/** A redirect URL contains a code, the state and the scopes. */
const MAX_URL_LENGTH = 16_384;

const NUMBERS = ['requestsPerSecond', 'maxTransfers', 'retryFor', 'timeout', 'bandwidth'];

/** @throws `invalid_input` naming the property */
export function signInRequest(body: unknown): SignInRequest {
  const given = REQUEST.object(body);
  const chooseFiles = REQUEST.optional(given, 'chooseFiles', isBoolean) ?? false;
  const flow = REQUEST.member(given, 'flow', isOneOf('device', 'browser'));
  const form = accountForm(given);
  const redirectUri = requestText(given, 'redirectUri').trim();
  if (flow === 'browser' && redirectUri === '') throw invalidRequest('redirectUri');
  return { flow, redirectUri, chooseFiles, ...form };
}

/** @throws `invalid_input` naming the property */
export function accountForm(body: unknown): AccountForm {
  const given = REQUEST.object(body);
  const isNumeric = isAnyOf(isString, isNumber);
  const texts = TEXTS.map((name) => [name, requestText(given, name)]);
  const numbers = NUMBERS.map((name) => [name, REQUEST.optional(given, name, isNumeric)]);
  return {
    config: Object.fromEntries([...texts, ...numbers]) as Properties,
    credentials: {
      clientId: requestText(given, 'clientId').trim(),
      clientSecret: requestText(given, 'clientSecret').trim(),
      serviceAccountKey: requestText(given, 'serviceAccountKey', MAX_KEY_LENGTH).trim(),
    },
  };
}

/** @returns the redirect URL that the user pasted. @throws `invalid_input` */
export function redirectUrlIn(body: unknown): string {
  return REQUEST.member(REQUEST.object(body, 'redirected'), 'redirected', isText(MAX_URL_LENGTH));
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
  given: AccountValues,
  deployed: AccountValues | undefined,
): string {
  const value = given.texts[name];
  if (value !== STORED_PASSWORD) return value;
  const { missing, refused } = STORED_SECRETS[name];
  const stored = deployed?.texts[name] ?? '';
  if (!deployed || stored === '') throw new DriveError('not_configured', { text: missing });
  if (haveSameUrls(given.urls, deployed.urls)) return stored;
  throw new DriveError('permission_denied', { text: refused });
}

/** Ids become keys of Node-RED's credentials object, so names such as `__proto__` are rejected. */
export function checkNodeId(id: string): string {
  if (/^[\w.-]{1,100}$/.test(id) && !(id in {})) return id;
  throw invalidRequest('id');
}
