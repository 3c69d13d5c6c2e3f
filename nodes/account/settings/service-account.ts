/** The service account of an account: its key, from the credentials, a file or the environment, and its token URL. */
import { readFileSync, statSync } from 'node:fs';
import type { NodeAPI } from 'node-red';
import {
  DriveError,
  type ServiceAccount,
  type ServiceAccountKey,
  errorCode,
  parseServiceAccountKey,
  secureUrl,
} from '../../../src/index';
import { logWarning, warningText } from '../../shared/runtime/catalogue';
import { GOOGLE_PRESET, type ServiceUrls, missingProperty } from './urls';

/**
 * Where Google's own libraries look for a key.
 * https://cloud.google.com/docs/authentication/application-default-credentials
 */
const AMBIENT_VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';
/** https://developers.google.com/workspace/drive/api/guides/api-specific-auth */
const FULL_ACCESS = 'https://www.googleapis.com/auth/drive';

/** Of an account: AccountTexts in settings.ts. */
type Texts = Readonly<Record<'service' | 'tokenUrl' | 'scope' | 'subject' | 'serviceAccountKey', string>>;

export interface ServiceAccountSettings extends ServiceAccount {
  /** The file that contains the key; undefined if it was entered. */
  file: string | undefined;
  /** @returns the account with the key that the file contains now, as it may be replaced while Node-RED runs */
  current: () => ServiceAccount;
}

/** @throws `not_configured` for a missing or unusable key, `insecure_url` for its token URL */
export function serviceAccountSettings(texts: Texts, urls: ServiceUrls): ServiceAccountSettings {
  const { account, file } = readAccount(texts, urls);
  let latest = account;
  const current = (): ServiceAccount => {
    try {
      if (file !== undefined) latest = readAccount(texts, urls).account;
    } catch {
      // While the file is being replaced, or after it was removed, the earlier key may still be valid.
    }
    return latest;
  };
  return { ...account, file, current };
}

function readAccount(texts: Texts, urls: ServiceUrls): { account: ServiceAccount; file: string | undefined } {
  const { text, file } = readKey(texts.serviceAccountKey);
  const key = parseServiceAccountKey(text);
  const { scope, subject } = texts;
  return {
    account: { key, tokenUrl: tokenUrlOf(texts, urls, key), scope: scope || FULL_ACCESS, subject },
    file,
  };
}

/** Reads synchronously: the file is small, and it is read for a deploy and for each access token only. */
function readKey(value: string): { text: string; file: string | undefined } {
  if (value.startsWith('{')) return { text: value, file: undefined };
  const file = value || (process.env[AMBIENT_VARIABLE] ?? '').trim();
  if (file === '') throw new DriveError('not_configured', { text: 'not_configured_key_missing' });
  return { text: readSecretFile(file), file };
}

/** Bytes. Key files have about 2,400. */
const MAX_FILE_SIZE = 64 * 1024;
/** A secret in the wrong place, such as a key in Base64, isn't a path, and must not appear in an error. */
const PATH = /^(?:\.{0,2}[/\\]|[A-Za-z]:[/\\])[^\n{}]{1,1000}$|^[\w./\\-]{1,200}\.json$/;

const NOT_JSON = 'not_configured_key_no_json';

/**
 * @param notPath the error for a text that doesn't look like a path
 * @throws `not_configured` naming the file, or `notPath`
 */
export function readSecretFile(
  file: string,
  notPath: DriveError = new DriveError('not_configured', { text: NOT_JSON }),
): string {
  try {
    if (statSync(file).size > MAX_FILE_SIZE) throw fileError(file, 'EFBIG');
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof DriveError) throw error;
    if (PATH.test(file)) throw fileError(file, errorCode(error) ?? 'unknown');
    throw notPath;
  }
}

function fileError(file: string, reason: string): DriveError {
  return new DriveError('not_configured', { text: 'not_configured_key_file', params: { file, reason } });
}

/** Files that the log has warned of: once is enough, and a deploy checks the account again. */
const warned = new Set<string>();

/** Logs a warning about a key file that every user of the machine can read. @param file undefined for an entered key */
export function warnOfReadableKey(RED: NodeAPI, file: string | undefined): void {
  if (file === undefined || warned.has(file) || !isReadableByOthers(file)) return;
  warned.add(file);
  logWarning(RED, 'key_readable', { file });
}

/** @returns the text of that warning for the account's dialog; undefined if there is nothing to warn of */
export function readableKeyWarning(RED: NodeAPI, file: string | undefined): string | undefined {
  if (file === undefined || !isReadableByOthers(file)) return undefined;
  return warningText(RED, 'key_readable', { file });
}

/** Windows has no such bits. */
export function isReadableByOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (statSync(file).mode & 0o004) !== 0;
  } catch {
    return false;
  }
}

/** Users can't run scripts on these hosts, as they can on script.google.com. */
const GOOGLE_TOKEN_HOST = /^(?:accounts\.google|(?:[a-z0-9-]+\.)+googleapis)\.com$/;

/**
 * The JWT is worth an access token, so it is sent to the service itself only: a key file may come from somebody else.
 * @throws `not_configured`, `insecure_url`
 */
function tokenUrlOf(texts: Texts, urls: ServiceUrls, { tokenUrl: inKey }: ServiceAccountKey): string {
  const isGoogle = texts.service === 'google';
  const preset = GOOGLE_PRESET.tokenUrl;
  const tokenUrl = texts.tokenUrl || inKey || (isGoogle ? preset : '');
  if (tokenUrl === '') throw missingProperty('tokenUrl');
  const { origin, hostname, host } = secureUrl(tokenUrl, 'tokenUrl');
  const trusted = isGoogle ? preset : texts.tokenUrl || urls.baseUrl;
  const isGoogleHost = isGoogle && GOOGLE_TOKEN_HOST.test(hostname);
  if (isGoogleHost || origin === new URL(trusted).origin) return tokenUrl;
  throw new DriveError('not_configured', {
    text: 'not_configured_key_origin',
    params: { property: 'tokenUrl', host },
  });
}
