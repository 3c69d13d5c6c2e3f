import { CAPABILITIES } from '../../../src/capabilities';
import {
  DriveClient,
  type DriveClientOptions,
  HttpClient,
  type Observe,
  type Service,
  type SessionStore,
  systemClock,
} from '../../../src/index';
import type { AccessTokens, Clock } from '../../../src/types';
import { FakeClock } from '../clock';

export interface ClientOptions {
  service?: Partial<Service>;
  tokens?: AccessTokens;
  retryFor?: number;
  timeout?: number;
  maxTransfers?: number;
  /** Bytes per second; 0, the default, is no limit. */
  bandwidth?: number;
  uploadSessions?: SessionStore;
  swaps?: DriveClientOptions['swaps'];
  clock?: FakeClock;
  observe?: Observe;
}

interface ClientInRealTime {
  client: DriveClient;
  http: HttpClient;
}

export const TOKEN = 'access-token';

/** A token that never expires. */
export const staticTokens: AccessTokens = {
  get: () => Promise.resolve(TOKEN),
  renew: () => Promise.resolve(TOKEN),
};

export interface TestClient extends ClientInRealTime {
  clock: FakeClock;
  close(): void;
}

/** Creates a client for a service on this machine, with a clock on which every wait ends at once. */
export function createTestClient(baseUrl: string, options: ClientOptions = {}): TestClient {
  const { clock = new FakeClock() } = options;
  const { client, http } = createClient(baseUrl, clock, { timeout: 5_000, retryFor: 60_000, ...options });
  return { client, http, clock, close: () => http.close() };
}

/** Creates a client for the measurements of a child process. */
export function createClientInRealTime(baseUrl: string, options: ClientOptions = {}): ClientInRealTime {
  return createClient(baseUrl, systemClock, { timeout: 10_000, retryFor: 10_000, ...options });
}

function createClient(
  baseUrl: string,
  clock: Clock,
  { service, timeout, retryFor, ...more }: ClientOptions & { timeout: number; retryFor: number },
): ClientInRealTime {
  const http = new HttpClient({ timeout, observe: more.observe });
  const client = new DriveClient({
    http,
    service: {
      can: CAPABILITIES.google,
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
      ...service,
    },
    tokens: staticTokens,
    random: () => 0.5,
    retryFor,
    requestsPerSecond: 1_000,
    maxTransfers: 4,
    ...more,
    clock,
  });
  return { client, http };
}
