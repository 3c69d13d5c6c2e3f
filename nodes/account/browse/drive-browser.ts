/**
 * Browses a drive for the editor, page by page. Google returns sorted pages of the requested size; a custom service may
 * return everything in one response and in any order, which is then sorted and split here.
 */
import type { NodeAPI } from 'node-red';
import {
  type CallOptions,
  type Capabilities,
  type DriveClient,
  DriveError,
  type DriveFile,
  isDriveError,
  isOneOf,
} from '../../../src/index';
import { accountEndpoint } from '../../shared/admin/account-client';
import { invalidRequest, REQUEST, requestText } from '../../shared/admin/admin-guard';
import { LISTED_FIELDS, listedFile, listedFiles } from '../../shared/admin/listed-file';
import { pathParameter, type Route } from '../../shared/admin/routes';
import type {
  DrivePage,
  FilePage,
  FilePath,
  List,
  ListedDrive,
  ListedFile,
  NewFolderResponse,
  Place,
} from '../../shared/contract/dialog-api';
import { type FileOrFolder, parseIdOrPath } from '../../shared/runtime/id-or-path';

/** Items per page: what a browser renders quickly. */
const PAGE_SIZE = 200;
/** A page can be empty without being the last. At most this many are requested for one response. */
const MAX_EMPTY_PAGES = 10;
/** Nested folders. */
const MAX_DEPTH = 50;

/** Listing requires the permission to read flows, creating a folder the one to change them. */
export function browseRoutes(RED: NodeAPI): Route[] {
  const readRoute = (path: string, operation: Parameters<typeof accountEndpoint>[1]): Route => ({
    method: 'get',
    path: `/:id${path}`,
    permission: 'flows.read',
    endpoint: accountEndpoint(RED, operation),
  });
  return [
    readRoute('/files', (client, { query }, call) => listPage(client, query, call)),
    readRoute('/files/:file/path', (client, request, call) =>
      findPath(client, pathParameter(request, 'file'), call),
    ),
    readRoute('/drives', (client, { query }, call) => listDrives(client, query, call)),
    readRoute('/drives/:drive', (client, request, call) =>
      sharedDrive(client, pathParameter(request, 'drive'), call),
    ),
    {
      method: 'post',
      path: '/:id/folders',
      permission: 'flows.write',
      endpoint: accountEndpoint(RED, (client, { body }, call) => createBrowsedFolder(client, body, call)),
    },
  ];
}

interface BrowseRequest {
  /** Folder id, `''` for the root. */
  folder: string;
  /** Instead of a folder, `''` for none. */
  list: '' | List;
  /** Part of a name; if given, the list, the shared drive or the whole drive is searched. */
  text: string;
  /** Id of the shared drive to search, `''` for the account's drive. */
  drive: string;
  kind: 'folders' | 'any';
  cursor: Cursor;
}

/** @throws `invalid_input` naming the member */
function browseRequest(query: unknown): BrowseRequest {
  const given = REQUEST.object(query);
  const text = (name: string): string => requestText(given, name);
  const cursor = parseCursor(text('page'));
  if (!cursor) throw invalidRequest('page');
  const kind = REQUEST.optional(given, 'kind', isOneOf('any', 'folders')) ?? 'any';
  const list = REQUEST.optional(given, 'list', isOneOf('', 'sharedWithMe', 'starred')) ?? '';
  return { folder: text('folder'), list, text: text('text'), drive: text('drive'), kind, cursor };
}

/** The start of a page. */
interface Cursor {
  /** Page token of the service; undefined for its first page. */
  pageToken: string | undefined;
  /** Number of items of the service's page that were returned already. */
  offset: number;
}

const START: Cursor = { pageToken: undefined, offset: 0 };

/** @param page `''` for the first page. @returns undefined if it is invalid */
export function parseCursor(page: string): Cursor | undefined {
  if (page === '') return START;
  const [, offset, pageToken] = /^(\d{1,9})\.([\s\S]*)$/.exec(page) ?? [];
  if (offset === undefined || pageToken === undefined) return undefined;
  return { pageToken: pageToken === '' ? undefined : pageToken, offset: Number(offset) };
}

/**
 * @param total number of items of the service's page
 * @returns the start of the next page, undefined after the last one
 */
export function nextCursor(
  { pageToken, offset }: Cursor,
  { size, total, nextPageToken }: { size: number; total: number; nextPageToken: string | undefined },
): Cursor | undefined {
  if (offset + size < total) return { pageToken, offset: offset + size };
  return nextPageToken === undefined ? undefined : { pageToken: nextPageToken, offset: 0 };
}

/** Folders first, then by name, unless the service has sorted them. */
export function sortFiles({ orderBy }: Pick<Capabilities, 'orderBy'>, files: ListedFile[]): ListedFile[] {
  if (orderBy) return files;
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return [...files].sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || names.compare(a.name, b.name));
}

/** A page of a folder's children, of a list or, with a text, of all files whose name contains it. */
async function listPage(client: DriveClient, query: unknown, call: CallOptions): Promise<FilePage> {
  const { text, kind, cursor: first, ...request } = browseRequest(query);
  const criteria = {
    ...location(client, { ...request, text }),
    text,
    kind,
    includeTrashed: false,
    fields: LISTED_FIELDS,
    ...order(client),
  };
  const isRoot = criteria.folderId === client.rootId && first === START;
  const about = { rootId: client.rootId, ...(isRoot ? await aboutRoot(client, call) : {}) };
  for (let cursor = first, pages = 1; ; pages++) {
    const { files, nextPageToken } = await client.searchPage(
      { ...criteria, pageToken: cursor.pageToken, pageSize: PAGE_SIZE },
      call,
    );
    const listed = sortFiles(client.service.can, listedFiles(client, files));
    const shown = listed.slice(cursor.offset, cursor.offset + PAGE_SIZE);
    const next = nextCursor(cursor, { size: PAGE_SIZE, total: listed.length, nextPageToken });
    if (!next) return { files: shown, ...about };
    if (shown.length > 0 || pages === MAX_EMPTY_PAGES)
      return { files: shown, ...about, nextPage: `${next.offset}.${next.pageToken ?? ''}` };
    cursor = next;
  }
}

function location(
  client: DriveClient,
  { folder, list, text, drive }: Omit<BrowseRequest, 'kind' | 'cursor'>,
): { folderId?: string; where?: 'sharedWithMe' | 'starred'; driveId?: string } {
  if (text === '' && folder !== '') return { folderId: idOf(client, folder) };
  if (list !== '') {
    if (!client.service.can.queries) throw invalidRequest('list');
    return { where: list };
  }
  if (text !== '') return drive === '' ? {} : { driveId: idOf(client, drive) };
  return { folderId: client.rootId };
}

async function aboutRoot(
  client: DriveClient,
  call: CallOptions,
): Promise<Pick<FilePage, 'rootName' | 'places'>> {
  const { driveId, space } = client.service;
  const rootName = driveId === '' || space ? undefined : await driveName(client, driveId, call);
  return { rootName, places: placesOf(client) };
}

/** An account with a shared drive lists only this drive, in flows too. */
function placesOf({ service }: DriveClient): Place[] {
  if (!service.can.sharedDrives || service.space) return [];
  return service.driveId === '' ? ['sharedWithMe', 'starred', 'sharedDrives'] : ['starred'];
}

/** @returns undefined if the service doesn't name it: the scope may not allow that */
async function driveName(client: DriveClient, id: string, call: CallOptions): Promise<string | undefined> {
  if (!client.service.can.sharedDrives) return undefined;
  try {
    return (await client.getSharedDrive(id, call)).name;
  } catch (error) {
    if (isDriveError(error, 'cancelled')) throw error;
    return undefined;
  }
}

/** A page of the shared drives, of which a custom service has none. @throws `permission_denied` for narrower scopes */
async function listDrives(client: DriveClient, query: unknown, call: CallOptions): Promise<DrivePage> {
  const given = REQUEST.object(query);
  const [text, page] = [requestText(given, 'text').trim(), requestText(given, 'page')];
  if (!client.service.can.sharedDrives) return { drives: [] };
  const request = { text, ...(page === '' ? {} : { pageToken: page }) };
  try {
    const { drives, nextPageToken } = await client.listSharedDrives(request, call);
    return { drives, nextPage: nextPageToken };
  } catch (error) {
    if (!(error instanceof DriveError) || error.text !== 'permission_denied_scope') throw error;
    const { status, reason } = error;
    throw new DriveError('permission_denied', { text: 'permission_denied_drive_list', status, reason });
  }
}

/** @throws `not_found` if it doesn't exist, or the account isn't a member */
async function sharedDrive(client: DriveClient, id: string, call: CallOptions): Promise<ListedDrive> {
  if (!client.service.can.sharedDrives) throw new DriveError('not_found');
  return client.getSharedDrive(idOf(client, id), call);
}

async function createBrowsedFolder(
  client: DriveClient,
  body: unknown,
  call: CallOptions,
): Promise<NewFolderResponse> {
  const given = REQUEST.object(body);
  const [name, parent] = [requestText(given, 'name').trim(), requestText(given, 'parent')];
  if (name === '' || name.includes('/')) throw invalidRequest('name');
  const folderId = parent === '' || parent === client.rootId ? '' : idOf(client, parent);
  const { folder, created } = await client.createFolder({ name, folderId, fields: LISTED_FIELDS }, call);
  // A service may omit the name from its response.
  return { folder: { ...listedFile(client, folder), name: folder.name ?? name, isFolder: true }, created };
}

/** The path of a file, found folder by folder up to the root. */
async function findPath(client: DriveClient, fileId: string, call: CallOptions): Promise<FilePath> {
  const names: string[] = [];
  let current: string | undefined = idOf(client, fileId, 'file');
  try {
    for (let depth = 0; current !== undefined && depth < MAX_DEPTH; depth++) {
      if (await client.isRoot(current, call)) return { path: `/${names.join('/')}` };
      const file: DriveFile | undefined = await client.getMetadata(current, pathFields(client), call);
      // The root of a shared drive, which every shared drive calls by the same name.
      if (file?.['driveId'] === current)
        return { path: await pathOnDrive(client, [current, ...names], call) };
      if (file?.name !== undefined) names.unshift(file.name);
      current = file?.parents?.[0];
    }
  } catch (error) {
    // The user may have no access to a folder above; the file itself must exist.
    if (names.length === 0 || !isDriveError(error, 'not_found')) throw error;
  }
  return { path: names.length === 0 ? '' : `…/${names.join('/')}` };
}

function pathFields({ service }: DriveClient): string {
  return service.can.sharedDrives ? 'id,name,parents,driveId' : 'id,name,parents';
}

/** A path without the leading slash: flows find paths only on the account's own drive. */
async function pathOnDrive(
  client: DriveClient,
  [driveId, ...names]: [string, ...string[]],
  call: CallOptions,
): Promise<string> {
  return [(await driveName(client, driveId, call)) ?? '…', ...names].join('/');
}

/** Folders first, then by name. A custom service need not support `orderBy`. */
function order({ service }: DriveClient): { orderBy?: string } {
  return service.can.orderBy ? { orderBy: 'folder,name_natural' } : {};
}

function idOf({ service }: DriveClient, value: string, kind: FileOrFolder = 'folder'): string {
  return parseIdOrPath({ property: kind, source: 'editor', kind, value, can: service.can });
}
