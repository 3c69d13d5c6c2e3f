/**
 * An account configured by one environment variable, so that a container needs one secret and no click. It contains a
 * JSON object of properties and credentials, or the path of a file with one. The values are never saved.
 */
import type { Node, NodeAPI } from 'node-red';
import {
  type DriveError,
  type ParamsArgument,
  type TextKey,
  isDriveError,
  isNumber,
  isObject,
  isString,
  uncheckedError,
} from '../../../src/index';
import { ACCOUNT_CREDENTIALS, ACCOUNT_DEFAULTS } from '../../shared/contract/account-config';
import { isReference } from '../../shared/contract/values';
import { withEnvironment } from '../../shared/runtime/environment';
import { readSecretFile } from './service-account';
import { type AccountSource, AccountValues, type Properties } from './settings';

const NOT_JSON = 'not_configured_variable_json';
const ACCOUNT_VARIABLE = 'CLOUD_DRIVE_ACCOUNT';

/**
 * Fills in the settings of the variable. Fields that differ from their defaults take precedence. An account that has a
 * client, a key or an entered access token of its own doesn't use the variable.
 * @param node whose flow may set the variable
 */
export function accountValues(
  RED: NodeAPI,
  { config, credentials }: Pick<AccountSource, 'config' | 'credentials'>,
  node?: Node,
): AccountValues {
  const own = new AccountValues({ config, credentials });
  const { clientId, serviceAccountKey, accessToken } = own.texts;
  // A sign-in with the variable's client saves its tokens without the client.
  const { since } = (credentials['signIn'] ?? {}) as { since?: string };
  const hasOwn = clientId !== '' || serviceAccountKey !== '' || (since === undefined && accessToken !== '');
  const { value } = hasOwn ? {} : withEnvironment(RED, { value: `\${${ACCOUNT_VARIABLE}}` }, node);
  if (!isString(value) || isReference(value)) return own;
  const text = value.trim();
  try {
    const settings = withEnvironment(RED, parse(text), node);
    return new AccountValues({
      config: fillIn(config, settings, ACCOUNT_DEFAULTS),
      credentials: fillIn(credentials, settings, ACCOUNT_CREDENTIALS),
      ...(text.startsWith('{') ? {} : { file: text }),
    });
  } catch (error) {
    if (isDriveError(error)) return new AccountValues({ config, credentials, error });
    throw error;
  }
}

function parse(value: string): Record<string, unknown> {
  const settings = asObject(value.startsWith('{') ? value : readSecretFile(value, variableError(NOT_JSON)));
  // A key file alone says everything that a service account needs.
  if (settings['type'] === 'service_account')
    return { auth: 'service-account', serviceAccountKey: JSON.stringify(settings) };
  const isKnown = (name: string): boolean =>
    Object.hasOwn(ACCOUNT_DEFAULTS, name) || Object.hasOwn(ACCOUNT_CREDENTIALS, name);
  const unknown = Object.keys(settings).filter((name) => !isKnown(name));
  if (unknown.length > 0)
    throw variableError('not_configured_variable_unknown', { names: unknown.join(', ') });
  const { serviceAccountKey: key } = settings;
  const texts = isObject(key) ? { ...settings, serviceAccountKey: JSON.stringify(key) } : settings;
  checkTypes(texts);
  return texts;
}

/** A number may be a string, as the editor saves it. */
function checkTypes(settings: Properties): void {
  const isWrong = ([name, value]: [string, unknown]): boolean =>
    !isString(value) && !(isNumber(value) && isNumber((ACCOUNT_DEFAULTS as Properties)[name]));
  const wrong = Object.entries(settings).filter(isWrong);
  if (wrong.length === 0) return;
  throw variableError('not_configured_variable_type', { names: wrong.map(([name]) => name).join(', ') });
}

function asObject(text: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The error of JSON.parse contains a part of the text.
  }
  if (isObject(json)) return { ...json };
  throw variableError(NOT_JSON);
}

function variableError<Text extends TextKey>(
  text: Text,
  ...[params]: ParamsArgument<Text, 'name'>
): DriveError {
  return uncheckedError('not_configured', text, { name: ACCOUNT_VARIABLE, ...params });
}

/** @param known the properties or credentials of the account, with their defaults */
function fillIn(own: Properties, settings: Properties, known: Properties): Properties {
  const isDefault = (name: string): boolean => {
    const fallback = known[name];
    // The editor saves numbers as strings.
    const saved = typeof fallback === 'number' ? String(fallback) : fallback;
    return [undefined, '', fallback, saved].includes(own[name]);
  };
  const filled = Object.entries(settings).filter(([name]) => Object.hasOwn(known, name) && isDefault(name));
  return { ...own, ...Object.fromEntries(filled) };
}
