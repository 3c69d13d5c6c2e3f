import type { DigestMode } from './storage/content-store';
import type { OAuthClient } from './oauth/clients';
import { systemClock, type Clock } from './clock';

/** Options of the local drive; all have defaults. Times are in seconds. */
export interface LocalDriveOptions {
  /** 0, the default, picks a free port. */
  port?: number;
  /** The data folder; by default a temporary one that `close` removes. */
  dataDir?: string;
  clients?: OAuthClient[];
  /** An access token with the scope `scope` that never expires. */
  token?: string;
  /** A refresh token of the first client. */
  refreshToken?: string;
  /** Each refresh issues a new refresh token and revokes the old one. */
  rotateRefreshTokens?: boolean;
  scope?: string;
  tokenLifetime?: number;
  /** Minimum time between polls of the device flow. */
  interval?: number;
  deviceLifetime?: number;
  /** `rfc`: `verification_uri` instead of Google's `verification_url`, and 400 for all errors of a poll. */
  deviceStyle?: 'google' | 'rfc';
  /** `word`: `name contains` matches only at the beginning of words, as in Google Drive. */
  nameMatch?: 'substring' | 'word';
  /** alt=media and exportLinks lead to a second origin, which must not receive the token. */
  redirectDownloads?: boolean;
  /** Page size of requests without `pageSize`. */
  pageSizeDefault?: number;
  /** Storage limit in bytes; unlimited if absent. */
  quota?: number;
  /** When the checksums of large files are computed: during the upload, or when a response first needs them. */
  hash?: DigestMode;
  /** The origin in URLs of responses if a proxy stands in front of the drive; its own by default. */
  publicOrigin?: string;
  /** A path before all Drive API paths, such as `/some/proxy`. */
  pathPrefix?: string;
  /** E-mail addresses that have no Google account: sharing with them needs a notification. */
  addressesWithoutAccount?: string[];
  /** Whether permissions.create accepts `expirationTime`. By default, only permissions.update does. */
  expirationOnInsert?: boolean;
  clock?: Clock;
  /** Maximum number of requests in the log; 0 for none. */
  maxRecordedRequests?: number;
  /** Other processes can add faults: POST /_faults. */
  faultsOverHttp?: boolean;
  log?: (line: string) => void;
}

/** Options with defaults filled in. */
export type Settings = Required<Omit<LocalDriveOptions, WithoutDefault>> &
  Pick<LocalDriveOptions, WithoutDefault>;
type WithoutDefault = 'dataDir' | 'token' | 'refreshToken' | 'quota';

export const DEFAULT_CLIENT: OAuthClient = { id: 'local-client', secret: 'local-secret' };

const DEFAULTS: Settings = {
  port: 0,
  clients: [DEFAULT_CLIENT],
  scope: 'https://www.googleapis.com/auth/drive',
  rotateRefreshTokens: false,
  tokenLifetime: 3599,
  interval: 5,
  deviceLifetime: 1800,
  deviceStyle: 'google',
  nameMatch: 'substring',
  redirectDownloads: false,
  pageSizeDefault: 100,
  hash: 'streaming',
  publicOrigin: '',
  pathPrefix: '',
  addressesWithoutAccount: [],
  expirationOnInsert: false,
  clock: systemClock,
  maxRecordedRequests: 20_000,
  faultsOverHttp: false,
  log: () => undefined,
};

/** Fills in defaults for absent and undefined options. */
export function withDefaults(options: LocalDriveOptions): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given };
}
