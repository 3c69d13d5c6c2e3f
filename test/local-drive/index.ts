/** The local drive: a service with the Drive API and OAuth endpoints, over real HTTP and on disk. See README.md. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from './app';
import { ContentStore } from './storage/content-store';
import { startDownloadOrigin, type DownloadOrigin } from './download-origin';
import { USER } from './api/user';
import { Faults } from './faults/faults';
import type { DriveBackend, SentEmail } from './api/backend';
import { FileStore } from './storage/file-store';
import { AuthorizationCodes } from './oauth/authorization-codes';
import { DeviceCodes } from './oauth/device-codes';
import { Grants } from './oauth/grants';
import { ServiceAccounts, type ServiceAccountKey } from './oauth/service-accounts';
import type { OAuthBackend } from './oauth/token-endpoint';
import { DEFAULT_CLIENT, withDefaults, type Settings, type LocalDriveOptions } from './options';
import { DriveFiles } from './drive-files';
import type { Clock } from './clock';
import { SearchCache } from './search/search-cache';
import { listenOnLoopback } from './http/listen';
import { RequestLog } from './http/request-log';
import type { Traffic } from './http/traffic';
import { UploadSessions } from './upload/upload-sessions';

export type { Fault, FaultMatch } from './faults/faults';
export type { LocalDriveOptions } from './options';
export type { RecordedRequest } from './http/request-log';
export { USER } from './api/user';
export type { ServiceAccountKey } from './oauth/service-accounts';
export { DEFAULT_CLIENT } from './options';
export { TestClock } from './clock';

/** A running local drive. */
export interface LocalDrive {
  /** `http://127.0.0.1:PORT`; {base_url} and {upload_url} are this plus `pathPrefix`. */
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly traffic: Traffic;
  readonly clock: Clock;
  /** The notification emails that permissions have caused. */
  readonly sentEmails: readonly SentEmail[];
  /** Direct access to the files, without requests. */
  readonly files: DriveFiles;
  /** Approves a device sign-in; `scope` grants less than requested. @returns whether the code was pending */
  approve(userCode: string, scope?: string): boolean;
  deny(userCode: string): boolean;
  /** Expires all access tokens except the configured one. */
  expireAccessTokens(): void;
  /** Signs the user in to the first client, without pages. @returns the refresh token */
  signIn(): Promise<string>;
  revokeAllGrants(): Promise<void>;
  /** The service accounts, which {@link addServiceAccount} creates. */
  readonly serviceAccounts: ServiceAccounts;
  /**
   * Creates a service account.
   * @param delegatedScopes with which it may act as the user
   * @returns its key file
   */
  addServiceAccount(delegatedScopes?: string[]): ServiceAccountKey;
  /** The second origin; undefined without `redirectDownloads`. */
  readonly downloadOrigin: DownloadOrigin | undefined;
  close(): Promise<void>;
}

/** All local drives that this process runs. */
export const runningDrives = new Set<LocalDrive>();

/** Starts the service on loopback; rejects if the port is taken. */
export async function startLocalDrive(options: LocalDriveOptions = {}): Promise<LocalDrive> {
  const settings = withDefaults(options);
  const dataDir = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'local-drive-')));
  const removeTemporaryFolder = async (): Promise<void> => {
    if (settings.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  await mkdir(dataDir, { recursive: true });
  const backend = await openBackend(dataDir, settings);
  const { drive, sessions, oauth, faults, requests } = backend;
  const app = createApp({ ...backend, settings, origin: () => listener.url });
  const listener = await listenOnLoopback(app, settings.port).catch(async (error: unknown) => {
    await backend.close();
    await removeTemporaryFolder();
    throw error;
  });
  backend.setOrigin(listener.url);
  const running: LocalDrive = {
    url: listener.url,
    port: listener.port,
    dataDir,
    faults,
    requests,
    traffic: listener.traffic,
    clock: settings.clock,
    sentEmails: drive.sentEmails,
    files: new DriveFiles(drive, sessions),
    approve: (userCode, scope) => oauth.devices.decide(userCode, 'approve', scope),
    deny: (userCode) => oauth.devices.decide(userCode, 'deny'),
    expireAccessTokens: () => {
      oauth.grants.expireAccessTokens();
    },
    signIn: async () => {
      const [client = DEFAULT_CLIENT] = settings.clients;
      return (await oauth.grants.issue(client.id, settings.scope)).refresh_token ?? '';
    },
    revokeAllGrants: () => oauth.grants.revokeAll(),
    serviceAccounts: oauth.serviceAccounts,
    addServiceAccount: (scopes) => oauth.serviceAccounts.add(`${listener.url}/token`, scopes),
    downloadOrigin: backend.downloadOrigin,
    close: async () => {
      runningDrives.delete(running);
      await listener.close();
      await backend.close();
      await removeTemporaryFolder();
    },
  };
  runningDrives.add(running);
  return running;
}

/** Opens the stores behind the routes: files, uploads, OAuth, faults and the request log. */
async function openBackend(dataDir: string, settings: Settings) {
  const { clock } = settings;
  let origin = '';
  const store = await FileStore.open(dataDir, () => clock.now());
  const content = await ContentStore.open(dataDir, settings.hash);
  const sessions = await UploadSessions.open(dataDir, content, clock);
  await content.removeUnreferenced(referencedBlobs(store, sessions));
  const faults = new Faults(() => sessions);
  const downloadOrigin = settings.redirectDownloads
    ? await startDownloadOrigin(() => drive, faults, settings.log)
    : undefined;
  const drive: DriveBackend = {
    ...{ store, content, clock, searchCache: new SearchCache() },
    nameMatch: settings.nameMatch,
    pageSize: settings.pageSizeDefault,
    quota: settings.quota,
    sentEmails: [],
    sharing: settings,
    hasStorage: true,
    user: USER,
    baseUrl: () => origin + settings.pathPrefix,
    redirectDownload: downloadOrigin && (({ id }) => downloadOrigin.downloadUrl(id)),
    exportLink: ({ id }) =>
      downloadOrigin?.exportUrl(id) ?? `${origin + settings.pathPrefix}/drive/v3/files/${id}/export`,
  };
  return {
    ...{ drive, sessions, faults, downloadOrigin },
    oauth: await openOAuth(dataDir, settings),
    requests: new RequestLog(settings.maxRecordedRequests),
    setOrigin: (url: string) => {
      origin = settings.publicOrigin || url;
    },
    close: async () => {
      await downloadOrigin?.close();
      await content.close();
      await store.close();
    },
  };
}

async function openOAuth(dataDir: string, settings: Settings): Promise<OAuthBackend> {
  const { clock, clients, interval, deviceLifetime: lifetime, deviceStyle: style } = settings;
  return {
    clients,
    grants: await Grants.open(dataDir, settings),
    devices: new DeviceCodes({ clock, interval, lifetime, style }),
    codes: new AuthorizationCodes(clock),
    serviceAccounts: new ServiceAccounts(clock, USER.emailAddress),
  };
}

function referencedBlobs(store: FileStore, sessions: UploadSessions): Set<string> {
  const blobs = new Set(sessions.blobs());
  for (const { content } of store.all()) if (content?.blob !== undefined) blobs.add(content.blob);
  return blobs;
}
