import { DriveClient, HttpClient, type Service, type SessionStore } from '../../../src/index';
import type { AccessTokens } from '../../../src/types';
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
  clock?: FakeClock;
}

export const TOKEN = 'access-token';

/** A token that never expires. */
export const staticTokens: AccessTokens = {
  get: () => Promise.resolve(TOKEN),
  renew: () => Promise.resolve(TOKEN),
};

export interface TestClient {
  client: DriveClient;
  http: HttpClient;
  clock: FakeClock;
  close(): void;
}

/** Creates a client for a service on this machine, with a clock on which every wait ends at once. */
export function createTestClient(baseUrl: string, options: ClientOptions = {}): TestClient {
  const { service, timeout = 5_000, clock = new FakeClock(), ...more } = options;
  const http = new HttpClient({ timeout });
  const client = new DriveClient({
    http,
    clock,
    service: {
      kind: 'google',
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
      ...service,
    },
    tokens: staticTokens,
    random: () => 0.5,
    retryFor: 60_000,
    requestsPerSecond: 1_000,
    maxTransfers: 4,
    ...more,
  });
  return { client, http, clock, close: () => http.close() };
}
