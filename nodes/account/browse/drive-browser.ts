/**
 * Browses a drive for the editor, page by page.
 */
import { type CallOptions, type DriveClient, type DriveFile, isDriveError } from '../../../src/index';
import { type ItemKind, parseIdOrPath } from '../../shared/runtime/id-or-path';
import type { AdminClients } from '../accounts/admin-clients';
import type { FilePath, FilePage, NewFolderResponse } from '../../shared/contract/browse-api';
import { type Cursor, nextCursor, readCursor, sortFiles } from './browse-page';
import { type FolderRequest, browseRequest } from './browse-request';
import { LISTED_FIELDS, listedFile, listedFiles } from './listed-file';

/** Items per page: what a browser renders quickly. */
const PAGE_SIZE = 200;
/** A page can be empty without being the last. At most this many are requested for one response. */
const MAX_EMPTY_PAGES = 10;
/** Nested folders. */
const MAX_DEPTH = 50;

export class DriveBrowser {
  constructor(private readonly clients: AdminClients) {}

  /** A page of a folder's children or, with a text, of all files whose name contains it. */
  list(id: string, query: unknown, call: CallOptions): Promise<FilePage> {
    return this.clients.use(id, (client) => listPage(client, query, call));
  }

  newFolder(id: string, body: unknown, call: CallOptions): Promise<NewFolderResponse> {
    return this.clients.use(id, (client) => createFolder(client, body, call));
  }

  /** The path of a file, found folder by folder up to the root. */
  filePath(id: string, fileId: string, call: CallOptions): Promise<FilePath> {
    return this.clients.use(id, (client) => findPath(client, fileId, call));
  }
}

async function listPage(client: DriveClient, query: unknown, call: CallOptions): Promise<FilePage> {
  const { folder, text, kind, page } = browseRequest.list(query);
  const location = text === '' ? { folderId: folder === '' ? client.rootId : idOf(client, folder) } : {};
  const criteria = {
    ...location,
    text,
    kind,
    includeTrashed: false,
    fields: LISTED_FIELDS,
    ...order(client),
  };
  for (let cursor = readCursor(page), pages = 1; ; pages++) {
    const { files, nextPageToken } = await client.searchPage({ ...criteria, ...pageRequest(cursor) }, call);
    const listed = sortFiles(client.service.kind, listedFiles(client, files));
    const shown = listed.slice(cursor.offset, cursor.offset + PAGE_SIZE);
    const nextPage = nextCursor(cursor, { size: PAGE_SIZE, total: listed.length, nextPageToken });
    if (nextPage === undefined) return { files: shown, rootId: client.rootId };
    if (shown.length > 0 || pages === MAX_EMPTY_PAGES)
      return { files: shown, rootId: client.rootId, nextPage };
    cursor = readCursor(nextPage);
  }
}

async function createFolder(
  client: DriveClient,
  body: unknown,
  call: CallOptions,
): Promise<NewFolderResponse> {
  const { name, parent }: FolderRequest = browseRequest.folder(body);
  const folderId = parent === '' || parent === client.rootId ? '' : idOf(client, parent);
  const { folder, created } = await client.createFolder({ name, folderId, fields: LISTED_FIELDS }, call);
  // A service may omit the name from its response.
  return { folder: { ...listedFile(client, folder), name: folder.name ?? name, isFolder: true }, created };
}

async function findPath(client: DriveClient, fileId: string, call: CallOptions): Promise<FilePath> {
  const names: string[] = [];
  let current: string | undefined = idOf(client, fileId, 'file');
  try {
    for (let depth = 0; current !== undefined && depth < MAX_DEPTH; depth++) {
      if (await client.isRoot(current, call)) return { path: `/${names.join('/')}` };
      const file: DriveFile | undefined = await client.getMetadata(current, 'id,name,parents', call);
      names.unshift(...(file?.name === undefined ? [] : [file.name]));
      current = file?.parents?.[0];
    }
  } catch (error) {
    // The user may have no access to a folder above; the file itself must exist.
    if (names.length === 0 || !isDriveError(error, 'not_found')) throw error;
  }
  return { path: names.length === 0 ? '' : `…/${names.join('/')}` };
}

/** Folders first, then by name. A custom service need not support `orderBy`. */
function order({ service }: DriveClient): { orderBy?: string } {
  return service.kind === 'google' ? { orderBy: 'folder,name_natural' } : {};
}

function pageRequest({ pageToken }: Cursor): { pageToken?: string; pageSize: number } {
  return { pageToken, pageSize: PAGE_SIZE };
}

function idOf({ service }: DriveClient, value: string, kind: ItemKind = 'folder'): string {
  return parseIdOrPath({ property: kind, source: 'editor', kind, value, service: service.kind });
}
