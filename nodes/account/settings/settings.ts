/**
 * An account's properties and credentials, checked and completed: the table of docs/nodes/account.md. Pure.
 * A property that is missing, as in a flow saved by an older version, means its default.
 */
import { DriveError, type OAuthClient, type Service, isAppDataOnly } from '../../../src/index';
import { ADDRESS_NAMES, type Addresses, addressesOf, checkAddresses, sameAddresses, serviceOf } from './urls';
import { GOOGLE } from './presets';
import { type Properties, checkReferences, number, text } from './properties';

export interface AccountSettings {
  service: Service;
  /** Of the OAuth server; `''` where the account has none. */
  addresses: Pick<Addresses, 'tokenUrl' | 'deviceUrl' | 'authUrl' | 'revokeUrl'>;
  /** `''` where a custom service's account doesn't name one: only a sign-in needs it. */
  scope: string;
  client: OAuthClient;
  requestsPerSecond: number;
  maxTransfers: number;
  /** ms */
  retryFor: number;
  /** ms */
  timeout: number;
  /** Bytes a second, 0 = no limit. */
  bandwidth: number;
}

/** Longer than this, a timer of Node.js ends at once. */
const MOST_SECONDS = 2_000_000;

/**
 * @param config the node's properties, environment variables already in place
 * @param credentials the same of its credentials
 * @throws `not_configured`, `insecure_url`, each naming the property
 */
export function accountSettings(config: Properties, credentials: Properties): AccountSettings {
  checkReferences(config, ['service', ...ADDRESS_NAMES, 'folderMimeType', 'scope', 'driveId']);
  checkReferences(credentials, ['clientId', 'clientSecret', 'refreshToken', 'accessToken']);
  const kind = serviceOf(config);
  const { baseUrl, uploadUrl, ...addresses } = addressesOf(config);
  checkAddresses({ baseUrl, uploadUrl, ...addresses });
  const scope = text(config, 'scope') || (kind === 'google' ? GOOGLE.scope : '');
  return {
    service: {
      kind,
      baseUrl,
      uploadUrl,
      folderMimeType: kind === 'google' ? GOOGLE.folderMimeType : text(config, 'folderMimeType'),
      driveId: text(config, 'driveId'),
      ...(isAppDataOnly(scope) ? { space: 'appDataFolder' } : {}),
    },
    addresses,
    scope,
    client: clientFrom(credentials, kind, addresses.tokenUrl),
    ...numbers(config),
  };
}

/**
 * A custom service may know clients without a secret (RFC 6749 2.1); a token that is only used
 * until it is refused needs no client at all.
 */
function clientFrom(credentials: Properties, kind: Service['kind'], tokenUrl: string): OAuthClient {
  const clientId = text(credentials, 'clientId');
  const clientSecret = text(credentials, 'clientSecret');
  const tokenOnly = text(credentials, 'accessToken') !== '' && text(credentials, 'refreshToken') === '';
  if (!tokenOnly && clientId === '') throw incomplete('client_id');
  if (!tokenOnly && clientSecret === '' && kind === 'google') throw incomplete('client_secret');
  return { clientId, clientSecret, tokenUrl };
}

function incomplete(what: 'client_id' | 'client_secret'): DriveError {
  return new DriveError('not_configured', { text: `not_configured_${what}` });
}

type Numbers = Pick<
  AccountSettings,
  'requestsPerSecond' | 'maxTransfers' | 'retryFor' | 'timeout' | 'bandwidth'
>;

function numbers(config: Properties): Numbers {
  const requestsPerSecond = number(config, 'requestsPerSecond', { otherwise: 10, least: 0, above: true });
  const maxTransfers = number(config, 'maxTransfers', { otherwise: 4, least: 1, whole: true });
  const retryFor = number(config, 'retryFor', { otherwise: 300, least: 0, most: MOST_SECONDS });
  const timeout = number(config, 'timeout', { otherwise: 30, least: 0, above: true, most: MOST_SECONDS });
  const bandwidth = number(config, 'bandwidth', { otherwise: 0, least: 0 });
  return {
    requestsPerSecond,
    maxTransfers,
    retryFor: retryFor * 1_000,
    timeout: timeout * 1_000,
    bandwidth: bandwidth * 1_024,
  };
}

/** Whether an account that is set up so can use what a sign-in with these settings brought. */
export function isFor(settings: AccountSettings, config: Properties, credentials: Properties): boolean {
  const { client, service, addresses } = settings;
  return (
    text(credentials, 'clientId') === client.clientId &&
    sameAddresses(config, { ...service, ...addresses, service: service.kind })
  );
}
