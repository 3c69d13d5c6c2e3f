/** Carries operations out through DriveClient, with a real token source. */
import { writeFile } from 'node:fs/promises';
import { DriveClient, HttpClient, TokenSource, isDriveError } from '../../src/index';
import type { Clock } from '../../src/types';
import { shown } from '../support/canaries';
import type { Adapter, Operation, Outcome, Result, Target } from './operations';

const FOLDER = 'application/vnd.google-apps.folder';
const RETRY_FOR = 60_000;

export function clientAdapter(target: Target, clock: Clock): Adapter {
  const http = new HttpClient({ timeout: target.timeout });
  const timing = { http, clock, random: target.random, retryFor: RETRY_FOR };
  const tokens = new TokenSource({
    ...timing,
    client: () => ({
      clientId: target.client.id,
      clientSecret: target.client.secret,
      tokenUrl: `${target.url}/token`,
    }),
    store: {
      load: () => ({ accessToken: '', refreshToken: target.refreshToken }),
      save: ({ accessToken }) => target.onToken(accessToken),
    },
  });
  const client = new DriveClient({
    ...timing,
    tokens,
    service: {
      kind: 'google',
      baseUrl: target.url,
      uploadUrl: target.url,
      folderMimeType: FOLDER,
      driveId: '',
    },
    requestsPerSecond: 1_000,
    maxTransfers: 4,
  });
  return {
    async perform(operation: Operation): Promise<Outcome> {
      try {
        return { ok: true, result: await carryOut(client, operation) };
      } catch (error) {
        const [code, text] = isDriveError(error) ? [error.code, error.text] : ['not coded', String(error)];
        return { ok: false, code, text, shown: shown(error) };
      }
    },
    close: () => http.close(),
  };
}

async function carryOut(client: DriveClient, operation: Operation): Promise<Result> {
  switch (operation.kind) {
    case 'about':
      await client.about('user,storageQuota');
      return {};
    case 'list':
      return { ids: await idsIn(client, operation.folder, '') };
    case 'search':
      return { ids: await idsIn(client, operation.folder, operation.text) };
    case 'metadata':
      return { ids: [(await client.metadata(operation.id, 'id,name,size'))?.id ?? ''] };
    case 'delete':
      await client.delete(operation.id);
      return {};
    case 'trash':
      await client.trash(operation.id);
      return {};
    case 'createFolder': {
      const { folder, created } = await client.folderNamed({
        name: operation.name,
        parentId: operation.folder,
        fields: 'id',
      });
      return { ids: [folder.id], created };
    }
    case 'upload':
      return uploaded(client, operation);
    case 'download':
      return downloaded(client, operation);
  }
}

async function idsIn(client: DriveClient, folderId: string, text: string): Promise<string[]> {
  const wanted = { folderId, text, kind: 'files' as const, includeTrashed: false, fields: 'id' };
  const ids: string[] = [];
  for await (const { files } of client.search(wanted)) ids.push(...files.map(({ id }) => id));
  return ids;
}

async function uploaded(
  client: DriveClient,
  { folder, name, content, path, ifExists }: Extract<Operation, { kind: 'upload' }>,
): Promise<Result> {
  if (path !== undefined) await writeFile(path, content);
  const { file, created, skipped } = await client.upload({
    content: path === undefined ? { data: content } : { path },
    name,
    folderId: folder,
    ifExists,
    mimeType: '',
    keepModifiedTime: false,
    metadata: {},
    fields: 'id',
  });
  return { ids: [file.id], created, skipped };
}

async function downloaded(
  client: DriveClient,
  { id, path }: Extract<Operation, { kind: 'download' }>,
): Promise<Result> {
  const request = { id, fields: 'id', acknowledgeAbuse: false };
  if (path === undefined)
    return { content: (await client.downloadToMemory({ ...request, maxSize: 1e8 })).content };
  return { path: (await client.downloadToDisk({ ...request, path, overwrite: 'replace' })).path };
}
