/** Runs operations with DriveClient and a real token source. */
import { writeFile } from 'node:fs/promises';
import { CAPABILITIES } from '../../src/capabilities';
import { DriveClient, HttpClient, TokenSource, isDriveError } from '../../src/index';
import type { CallOptions, Clock } from '../../src/types';
import { visibleText } from '../support/canaries';
import type {
  Adapter,
  Operation,
  Outcome,
  Relocation,
  Result,
  AdapterOptions,
  Upload,
  FolderPath,
} from './operations';

const FOLDER = 'application/vnd.google-apps.folder';
const RETRY_FOR = 60_000;

export function clientAdapter(target: AdapterOptions, clock: Clock): Adapter {
  const http = new HttpClient({ timeout: target.timeout });
  const client = clientOf(target, http, clock);
  let running = new AbortController();
  return {
    async run(operation: Operation): Promise<Outcome> {
      running = new AbortController();
      try {
        return { ok: true, result: await runOperation(client, operation, running.signal), visibleText: '' };
      } catch (error) {
        const [code, text] = isDriveError(error)
          ? [error.code, error.text]
          : ['error without code', String(error)];
        return { ok: false, code, text, visibleText: visibleText(error) };
      }
    },
    interrupt: () => running.abort(),
    close: () => {
      http.close();
      return Promise.resolve([]);
    },
  };
}

function clientOf(
  { url, client, refreshToken, random }: AdapterOptions,
  http: HttpClient,
  clock: Clock,
): DriveClient {
  const timing = { http, clock, random, retryFor: RETRY_FOR };
  const tokens = new TokenSource({
    ...timing,
    client: () => ({ clientId: client.id, clientSecret: client.secret, tokenUrl: `${url}/token` }),
    store: { load: () => ({ accessToken: '', refreshToken }), save: () => undefined },
  });
  return new DriveClient({
    ...timing,
    tokens,
    service: { can: CAPABILITIES.google, baseUrl: url, uploadUrl: url, folderMimeType: FOLDER, driveId: '' },
    requestsPerSecond: 1_000,
    maxTransfers: 4,
  });
}

async function runOperation(client: DriveClient, operation: Operation, signal: AbortSignal): Promise<Result> {
  const call = { signal };
  switch (operation.kind) {
    case 'about':
      await client.getAbout('user,storageQuota', call);
      return {};
    case 'list':
      return {
        ids: await searchIds(client, { folderId: operation.folder, text: '', kind: 'folders' }, call),
      };
    case 'search': {
      const { folder: folderId, text } = operation;
      return { ids: await searchIds(client, { folderId, text, kind: 'files' }, call) };
    }
    case 'metadata':
      return { ids: [(await client.getMetadata(operation.id, 'id,name,size', call))?.id ?? ''] };
    case 'delete':
      for (const id of operation.ids) await client.delete(id, call);
      return {};
    case 'trash':
      for (const id of operation.ids) await client.trash(id, call);
      return {};
    case 'createFolder': {
      const wanted = { name: operation.name, folderId: operation.folder, fields: 'id' };
      const { folder, created } = await client.createFolder(wanted, call);
      return { ids: [folder.id], created };
    }
    case 'upload':
      return runUpload(client, operation, call);
    case 'download':
      return runDownload(client, operation, call);
    case 'move':
    case 'copy':
    case 'restore':
      return runRelocation(client, operation, call);
    case 'prune':
      throw new Error('the client has no prune operation');
  }
}

interface IdSearch {
  folderId: string;
  text: string;
  kind: 'files' | 'folders';
}

async function searchIds(client: DriveClient, wanted: IdSearch, call: CallOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const { files } of client.search({ ...wanted, includeTrashed: false, fields: 'id' }, call))
    ids.push(...files.map(({ id }) => id));
  return ids;
}

async function runUpload(
  client: DriveClient,
  { folder, folderPath, name, content, path, ifExists }: Upload,
  call: CallOptions,
): Promise<Result> {
  if (path !== undefined) await writeFile(path, content);
  const request = {
    content: path === undefined ? { data: content } : { path },
    name,
    folderId: await targetFolderId(client, folder, folderPath, call),
    ifExists,
    mimeType: '',
    keepModifiedTime: false,
    metadata: {},
    fields: 'id',
  };
  const { file, created, skipped } = await client.upload(request, call);
  return { ids: [file.id], created, skipped };
}

async function targetFolderId(
  { paths }: DriveClient,
  folder: string,
  folderPath: FolderPath | undefined,
  call: CallOptions,
): Promise<string> {
  return folderPath
    ? paths.resolveFolder(
        { path: folderPath.path, createMissing: true, cacheEpoch: paths.cacheEpoch() },
        call,
      )
    : folder;
}

async function runRelocation(
  client: DriveClient,
  { kind, id: known, path, folder, folderPath, name, ifExists }: Relocation,
  call: CallOptions,
): Promise<Result> {
  const { paths } = client;
  const looked = { trashed: kind === 'restore', cacheEpoch: paths.cacheEpoch() };
  const id = path === undefined ? known : (await paths.resolveFile(path, call, looked)).id;
  const folderId = await targetFolderId(client, folder, folderPath, call);
  const request = { id, folderId, name, ifExists, fields: 'id' };
  const { file, created, skipped } =
    kind === 'copy'
      ? await client.copy(request, call)
      : await client.move({ ...request, restore: kind === 'restore' }, call);
  return { ids: [file.id], created, skipped };
}

async function runDownload(
  client: DriveClient,
  { id, output, path }: Extract<Operation, { kind: 'download' }>,
  call: CallOptions,
): Promise<Result> {
  const request = { id, fields: 'id', acknowledgeAbuse: false };
  if (output !== 'file')
    return { content: (await client.downloadToMemory({ ...request, maxSize: 1e8 }, call)).content };
  return { path: (await client.downloadToDisk({ ...request, path, overwrite: 'replace' }, call)).path };
}
