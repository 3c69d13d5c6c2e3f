import type { DigestMode } from './storage/content-store';
import type { OAuthClient } from './oauth/clients';
import { systemClock, type Clock } from './clock';

/** Settings of the service; every one has a default. Times are seconds. */
export interface LocalDriveOptions {
  /** 0 (the default) takes a free one. */
  port?: number;
  /** Where data is kept; a temporary folder, removed by `close`, if absent. */
  dataDir?: string;
  clients?: OAuthClient[];
  /** An access token that never ends, with the scope `scope`. */
  token?: string;
  /** A refresh token of the first client. */
  refreshToken?: string;
  /** Each refresh gives a new refresh token and ends the one it was made with. */
  rotateRefreshTokens?: boolean;
  scope?: string;
  tokenLifetime?: number;
  /** Least time between two polls of the device flow. */
  interval?: number;
  deviceLifetime?: number;
  /** `rfc`: `verification_uri` instead of Google's `verification_url`, and 400 for every error of a poll. */
  deviceStyle?: 'google' | 'rfc';
  /** `word`: `name contains` finds beginnings of words only, as the real service. */
  nameMatch?: 'substring' | 'word';
  /** alt=media answers 302 to a second origin, and exportLinks lead there; it must not get the token. */
  redirectDownloads?: boolean;
  /** Page size where a request does not give one. */
  pageSizeDefault?: number;
  /** Bytes of the account; unlimited if absent. */
  quota?: number;
  /** When digests of large files are taken: while they come in, or when an answer first needs them. */
  hash?: DigestMode;
  /** A path in front of all addresses of the files interface, e.g. `/some/proxy`. */
  pathPrefix?: string;
  clock?: Clock;
  /** Requests that are remembered; 0 for none. */
  maxRecordedRequests?: number;
  /** Lets other processes set faults: POST /_faults. */
  faultsOverHttp?: boolean;
  log?: (line: string) => void;
}

/** Options without gaps. */
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
  pathPrefix: '',
  clock: systemClock,
  maxRecordedRequests: 20_000,
  faultsOverHttp: false,
  log: () => undefined,
};

/** Fills what a caller left out; `undefined` counts as left out. */
export function withDefaults(options: LocalDriveOptions): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given };
}
