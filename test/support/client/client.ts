/** The client under test. */
import { DriveClient, HttpClient, type Service, type SessionStore } from '../../../src/index';
import type { AccessTokens } from '../../../src/types';
import { FakeClock } from '../clock';

export interface ClientOptions {
  service?: Partial<Service>;
  tokens?: AccessTokens;
  retryFor?: number;
  timeout?: number;
  maxTransfers?: number;
  /** Bytes a second. */
  bandwidth?: number;
  uploadSessions?: SessionStore;
  clock?: FakeClock;
}

export const TOKEN = 'access-token';

/** A token that never ends and is never renewed. */
export const fixedTokens: AccessTokens = {
  get: () => Promise.resolve(TOKEN),
  renew: () => Promise.resolve(TOKEN),
};

export interface TestClient {
  client: DriveClient;
  http: HttpClient;
  clock: FakeClock;
  close(): void;
}

/** A client of a service on this machine, fast, with a clock on which every wait is over at once. */
export function clientOf(baseUrl: string, options: ClientOptions = {}): TestClient {
  const clock = options.clock ?? new FakeClock();
  const http = new HttpClient({ timeout: options.timeout ?? 5_000 });
  const client = new DriveClient({
    http,
    tokens: options.tokens ?? fixedTokens,
    service: {
      kind: 'google',
      baseUrl,
      uploadUrl: baseUrl,
      folderMimeType: 'application/vnd.google-apps.folder',
      driveId: '',
      ...options.service,
    },
    clock,
    random: () => 0.5,
    retryFor: options.retryFor ?? 60_000,
    requestsPerSecond: 1_000,
    maxTransfers: options.maxTransfers ?? 4,
    bandwidth: options.bandwidth ?? 0,
    ...(options.uploadSessions ? { uploadSessions: options.uploadSessions } : {}),
  });
  return { client, http, clock, close: () => http.close() };
}
