/**
 * Validates an account's properties and credentials and fills in defaults: the table of docs/nodes/account.md.
 * Flows of older versions may lack some properties.
 */
import {
  CAPABILITIES,
  DriveError,
  type OAuthClient,
  type Service,
  isAppDataOnly,
  isProjectFilesOnly,
} from '../../../src/index';
import { URL_PROPERTIES } from '../../shared/contract/account-config';
import { type ServiceKind, type ServiceUrls, resolveUrls, checkUrls, haveSameUrls, serviceOf } from './urls';
import { GOOGLE_PRESET } from './google-preset';
import { type ServiceAccountSettings, serviceAccountSettings, usesServiceAccount } from './service-account';
import {
  type NumberRange,
  type Properties,
  checkControlCharacters,
  checkReferences,
  numberProperty,
  textProperty,
} from './properties';

export interface AccountSettings {
  service: Service;
  /** URLs of the OAuth server, `''` if the account has none. */
  urls: Pick<ServiceUrls, 'tokenUrl' | 'deviceUrl' | 'authUrl' | 'revokeUrl'>;
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

/** A service account authenticates with its key. */
const NO_CLIENT: OAuthClient = { clientId: '', clientSecret: '', tokenUrl: '' };

/** Properties that may name an environment variable. */
const MAY_REFER = ['service', ...URL_PROPERTIES, 'folderMimeType', 'scope', 'driveId', 'auth', 'subject'];

/** Node.js timers are limited to 2^31 ms. */
const MAX_SECONDS = 2_000_000;

/**
 * @param config the node's properties, environment variables already in place
 * @param credentials the same of its credentials
 * @throws `not_configured`, `insecure_url`, each naming the property
 */
export function accountSettings(config: Properties, credentials: Properties): AccountSettings {
  checkReferences(config, MAY_REFER);
  const kind = serviceOf(config);
  const isServiceAccount = usesServiceAccount(config);
  if (isServiceAccount) checkReferences(credentials, ['serviceAccountKey']);
  else checkReferences(credentials, ['clientId', 'clientSecret', 'refreshToken', 'accessToken']);
  if (!isServiceAccount) checkControlCharacters(credentials, ['clientId', 'clientSecret', 'accessToken']);
  const { baseUrl, uploadUrl, ...urls } = resolveUrls(config);
  // The key contains the token URL of a service account.
  checkUrls({ baseUrl, uploadUrl, ...urls }, isServiceAccount ? ['baseUrl'] : undefined);
  const serviceAccount = isServiceAccount ? serviceAccountSettings(config, credentials) : undefined;
  const scope =
    serviceAccount?.scope ??
    (textProperty(config, 'scope') || (kind === 'google' ? GOOGLE_PRESET.scope : ''));
  return {
    service: {
      can: CAPABILITIES[kind],
      baseUrl,
      uploadUrl,
      folderMimeType:
        kind === 'google' ? GOOGLE_PRESET.folderMimeType : textProperty(config, 'folderMimeType'),
      driveId: textProperty(config, 'driveId'),
      ...(isAppDataOnly(scope) ? { space: 'appDataFolder' } : {}),
      ...(serviceAccount?.subject === '' ? { isServiceAccount: true } : {}),
    },
    urls,
    scope,
    seesProjectOnly: kind === 'google' && !isServiceAccount && isProjectFilesOnly(scope),
    client: serviceAccount ? NO_CLIENT : clientFrom(credentials, kind, urls.tokenUrl),
    ...(serviceAccount ? { serviceAccount } : {}),
    ...limits(config),
  };
}

/**
 * A custom service may have public clients without a secret (RFC 6749 section 2.1). An access token without a refresh
 * token is used until the service rejects it and needs no client.
 */
function clientFrom(credentials: Properties, kind: ServiceKind, tokenUrl: string): OAuthClient {
  const clientId = textProperty(credentials, 'clientId');
  const clientSecret = textProperty(credentials, 'clientSecret');
  const tokenOnly =
    textProperty(credentials, 'accessToken') !== '' && textProperty(credentials, 'refreshToken') === '';
  if (!tokenOnly && clientId === '') throw incomplete('client_id');
  if (!tokenOnly && clientSecret === '' && kind === 'google') throw incomplete('client_secret');
  return { clientId, clientSecret, tokenUrl };
}

function incomplete(what: 'client_id' | 'client_secret'): DriveError {
  return new DriveError('not_configured', { text: `not_configured_${what}` });
}

type Limits = Pick<
  AccountSettings,
  'requestsPerSecond' | 'maxTransfers' | 'retryFor' | 'timeout' | 'bandwidth'
>;

function limits(config: Properties): Limits {
  const number = (name: keyof Limits, range: NumberRange): number => numberProperty(config, name, range);
  return {
    requestsPerSecond: number('requestsPerSecond', { min: 0, exclusiveMin: true }),
    maxTransfers: number('maxTransfers', { min: 1, whole: true }),
    retryFor: number('retryFor', { min: 0, max: MAX_SECONDS }) * 1_000,
    timeout: number('timeout', { min: 0, exclusiveMin: true, max: MAX_SECONDS }) * 1_000,
    bandwidth: number('bandwidth', { min: 0 }) * 1_024,
  };
}

/** Whether an account with this configuration can use the tokens of a sign-in with these settings. */
export function isSameClient(
  settings: AccountSettings,
  config: Properties,
  credentials: Properties,
): boolean {
  const { client, service, urls } = settings;
  return (
    textProperty(credentials, 'clientId') === client.clientId &&
    haveSameUrls(resolveUrls(config), { ...service, ...urls })
  );
}
