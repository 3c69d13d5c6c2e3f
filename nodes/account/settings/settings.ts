/**
 * The settings of an account: its properties and credentials, read once, checked and completed with defaults. The table
 * of docs/nodes/account.md. Flows of older versions may lack some properties.
 */
import {
  CAPABILITIES,
  DriveError,
  type OAuthClient,
  type Service,
  Validator,
  isAnyOf,
  isAppDataOnly,
  isDriveError,
  isNumber,
  isOneOf,
  isProjectFilesOnly,
  isString,
} from '../../../src/index';
import {
  ACCOUNT_CREDENTIALS,
  ACCOUNT_DEFAULTS,
  type AccountCredentials,
  URL_PROPERTIES,
} from '../../shared/contract/account-config';
import { referencedVariable } from '../../shared/contract/values';
import { type ServiceAccountSettings, serviceAccountSettings } from './service-account';
import { GOOGLE_PRESET, type ServiceUrls, checkUrls, haveSameUrls, resolveUrls } from './urls';

/** Properties or credentials as they are saved. */
export type Properties = Readonly<Record<string, unknown>>;

/** The properties that are texts. */
export const TEXTS = [
  'service',
  'auth',
  'subject',
  ...URL_PROPERTIES,
  'folderMimeType',
  'scope',
  'driveId',
] as const;
const CREDENTIALS = Object.keys(ACCOUNT_CREDENTIALS) as (keyof AccountCredentials)[];

/** Trimmed, `''` for a missing one without a default. */
export type AccountTexts = Readonly<Record<(typeof TEXTS)[number] | keyof AccountCredentials, string>>;

export interface AccountSettings {
  service: Service;
  /** `''` for those that the account doesn't have. */
  urls: ServiceUrls;
  /** May be `''` for a custom service: only a sign-in needs it. */
  scope: string;
  /** Whether only files are visible that clients of the same Google Cloud project created. */
  seesProjectOnly: boolean;
  client: OAuthClient;
  /** Undefined for a user. */
  serviceAccount?: ServiceAccountSettings;
  requestsPerSecond: number;
  maxTransfers: number;
  /** ms */
  retryFor: number;
  /** ms */
  timeout: number;
  /** Bytes a second, 0 = no limit. */
  bandwidth: number;
}

export interface AccountSource {
  config: Properties;
  credentials: Properties;
  /** The file that the account variable names. */
  file?: string;
  /** Why the account variable can't be used. */
  error?: DriveError;
}

/** The properties and credentials of an account, with environment variables resolved. They are checked on first use. */
export class AccountValues {
  readonly texts: AccountTexts;
  /** As they are used if they can be: {@link settings} says what is wrong. */
  readonly urls: ServiceUrls;
  readonly file: string | undefined;
  private checked: AccountSettings | undefined;

  constructor(private readonly source: AccountSource) {
    const { config, credentials, file } = source;
    const read = (from: Properties, names: readonly string[]): [string, string][] =>
      names.map((name) => [name, isString(from[name]) ? from[name].trim() : '']);
    const texts = Object.fromEntries([
      ...read(config, TEXTS),
      ...read(credentials, CREDENTIALS),
    ]) as AccountTexts;
    const { service, auth } = ACCOUNT_DEFAULTS;
    this.texts = { ...texts, service: texts.service || service, auth: texts.auth || auth };
    this.urls = resolveUrls(this.texts);
    this.file = file;
  }

  get usesServiceAccount(): boolean {
    return this.texts.auth === 'service-account';
  }

  /** @throws `not_configured`, `insecure_url`, each naming the property */
  settings(): AccountSettings {
    this.checkVariable();
    this.checked ??= checkedSettings(this, this.source.config);
    return this.checked;
  }

  /** @throws `not_configured` if the account variable can't be used */
  checkVariable(): void {
    if (this.source.error) throw this.source.error;
  }

  /** @returns undefined for incomplete or invalid settings */
  usableSettings(): AccountSettings | undefined {
    try {
      return this.settings();
    } catch (error) {
      if (isDriveError(error)) return undefined;
      throw error;
    }
  }

  /** The same properties with other credentials. */
  withCredentials(credentials: AccountCredentials): AccountValues {
    return new AccountValues({ ...this.source, credentials });
  }
}

/** Whether an account with these values can use the tokens of a sign-in with these settings. */
export function isSameClient({ client, urls }: AccountSettings, values: AccountValues): boolean {
  return values.texts.clientId === client.clientId && haveSameUrls(values.urls, urls);
}

/** A service account authenticates with its key. */
const NO_CLIENT: OAuthClient = { clientId: '', clientSecret: '', tokenUrl: '' };

function checkedSettings(
  { texts, urls, usesServiceAccount }: AccountValues,
  config: Properties,
): AccountSettings {
  checkReferences(texts, TEXTS);
  const kind = SERVICE.member(texts, 'service', isOneOf('google', 'custom'));
  AUTH.member(texts, 'auth', isOneOf('user', 'service-account'));
  if (usesServiceAccount) checkReferences(texts, ['serviceAccountKey']);
  else {
    checkReferences(texts, ['clientId', 'clientSecret', 'refreshToken', 'accessToken']);
    checkControlCharacters(texts, ['clientId', 'clientSecret', 'accessToken']);
  }
  // The key contains the token URL of a service account.
  checkUrls(urls, usesServiceAccount ? ['baseUrl'] : ['baseUrl', 'tokenUrl']);
  const serviceAccount = usesServiceAccount ? serviceAccountSettings(texts, urls) : undefined;
  const isGoogle = kind === 'google';
  const scope = serviceAccount?.scope ?? (texts.scope || (isGoogle ? GOOGLE_PRESET.scope : ''));
  return {
    service: {
      can: CAPABILITIES[kind],
      baseUrl: urls.baseUrl,
      uploadUrl: urls.uploadUrl,
      folderMimeType: isGoogle ? GOOGLE_PRESET.folderMimeType : texts.folderMimeType,
      driveId: texts.driveId,
      ...(isAppDataOnly(scope) ? { space: 'appDataFolder' } : {}),
      ...(serviceAccount?.subject === '' ? { isServiceAccount: true } : {}),
    },
    urls,
    scope,
    seesProjectOnly: isGoogle && !usesServiceAccount && isProjectFilesOnly(scope),
    client: serviceAccount ? NO_CLIENT : clientFrom(texts, isGoogle, urls.tokenUrl),
    ...(serviceAccount ? { serviceAccount } : {}),
    ...limits(config),
  };
}

/**
 * Environment variables have been resolved: a remaining reference names one that isn't set.
 * @throws `not_configured` naming the variable
 */
function checkReferences(texts: AccountTexts, names: readonly (keyof AccountTexts)[]): void {
  for (const property of names) {
    const name = referencedVariable(texts[property]);
    if (name !== undefined)
      throw new DriveError('not_configured', { text: 'not_configured_env', params: { property, name } });
  }
}

/** A line break at the end of a variable isn't part of the value. @throws `not_configured` naming the property */
function checkControlCharacters(texts: AccountTexts, names: readonly (keyof AccountTexts)[]): void {
  const property = names.find((name) => /\p{Cc}/u.test(texts[name]));
  if (property !== undefined)
    throw new DriveError('not_configured', { text: 'not_configured_control', params: { property } });
}

/**
 * A custom service may have public clients without a secret (RFC 6749 section 2.1). An access token without a refresh
 * token is used until the service rejects it and needs no client.
 */
function clientFrom(texts: AccountTexts, isGoogle: boolean, tokenUrl: string): OAuthClient {
  const { clientId, clientSecret, accessToken, refreshToken } = texts;
  const tokenOnly = accessToken !== '' && refreshToken === '';
  if (!tokenOnly && clientId === '')
    throw new DriveError('not_configured', { text: 'not_configured_client_id' });
  if (!tokenOnly && clientSecret === '' && isGoogle)
    throw new DriveError('not_configured', { text: 'not_configured_client_secret' });
  return { clientId, clientSecret, tokenUrl };
}

const SERVICE = new Validator(() => new DriveError('not_configured', { text: 'not_configured_service' }));
const AUTH = new Validator(() => new DriveError('not_configured', { text: 'not_configured_auth' }));
const NUMBER = new Validator(
  (property) => new DriveError('not_configured', { text: 'not_configured_number', params: { property } }),
);
/** The editor saves numbers as numbers or strings. */
const isNumeric = isAnyOf(isNumber, isString);

type Limits = Pick<
  AccountSettings,
  'requestsPerSecond' | 'maxTransfers' | 'retryFor' | 'timeout' | 'bandwidth'
>;

/** Node.js timers are limited to 2^31 ms. */
const MAX_SECONDS = 2_000_000;

function limits(config: Properties): Limits {
  /** Empty means the default. @param fits whether the number can be used */
  const number = (name: keyof Limits, fits: (value: number) => boolean, most = Number.MAX_SAFE_INTEGER) => {
    const given = NUMBER.optional(config, name, isNumeric) ?? '';
    const text = String(given).trim();
    const value = Number(text === '' ? ACCOUNT_DEFAULTS[name] : text);
    if (fits(value) && value <= most) return value;
    throw NUMBER.wrong(name, given);
  };
  const isPositive = (value: number): boolean => value > 0;
  const isNotNegative = (value: number): boolean => value >= 0;
  return {
    requestsPerSecond: number('requestsPerSecond', isPositive),
    maxTransfers: number('maxTransfers', (value) => value >= 1 && Number.isInteger(value)),
    retryFor: number('retryFor', isNotNegative, MAX_SECONDS) * 1_000,
    timeout: number('timeout', isPositive, MAX_SECONDS) * 1_000,
    bandwidth: number('bandwidth', isNotNegative) * 1_024,
  };
}
