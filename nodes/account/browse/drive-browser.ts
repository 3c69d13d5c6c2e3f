/**
 * Browses a drive for the editor, page by page.
 */
import {
  type CallOptions,
  type DriveClient,
  DriveError,
  type DriveFile,
  isDriveError,
} from '../../../src/index';
import { invalidRequest } from '../../shared/admin/admin-guard';
import { type FileOrFolder, parseIdOrPath } from '../../shared/runtime/id-or-path';
import type {
  DrivePage,
  FilePage,
  FilePath,
  ListedDrive,
  NewFolderResponse,
  Place,
} from '../../shared/contract/dialog-api';
import { type Cursor, nextCursor, readCursor, sortFiles } from './browse-page';
import { type BrowseRequest, browseRequest } from './browse-request';
import { LISTED_FIELDS, listedFile, listedFiles } from '../../shared/admin/listed-file';

/** Items per page: what a browser renders quickly. */
const PAGE_SIZE = 200;
/** A page can be empty without being the last. At most this many are requested for one response. */
const MAX_EMPTY_PAGES = 10;
/** Nested folders. */
const MAX_DEPTH = 50;

/** A page of a folder's children, of a list or, with a text, of all files whose name contains it. */
export async function listPage(client: DriveClient, query: unknown, call: CallOptions): Promise<FilePage> {
  const { text, kind, page, ...request } = browseRequest.list(query);
  const criteria = {
    ...location(client, { ...request, text }),
    text,
    kind,
    includeTrashed: false,
    fields: LISTED_FIELDS,
    ...order(client),
  };
  const isRoot = criteria.folderId === client.rootId && page === '';
  const about = { rootId: client.rootId, ...(isRoot ? await aboutRoot(client, call) : {}) };
  for (let cursor = readCursor(page), pages = 1; ; pages++) {
    const { files, nextPageToken } = await client.searchPage({ ...criteria, ...pageRequest(cursor) }, call);
    const listed = sortFiles(client.service.can, listedFiles(client, files));
    const shown = listed.slice(cursor.offset, cursor.offset + PAGE_SIZE);
    const nextPage = nextCursor(cursor, { size: PAGE_SIZE, total: listed.length, nextPageToken });
    if (nextPage === undefined) return { files: shown, ...about };
    if (shown.length > 0 || pages === MAX_EMPTY_PAGES) return { files: shown, ...about, nextPage };
    cursor = readCursor(nextPage);
  }
}

function location(
  client: DriveClient,
  { folder, list, text, drive }: Omit<BrowseRequest, 'kind' | 'page'>,
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
export async function listDrives(client: DriveClient, query: unknown, call: CallOptions): Promise<DrivePage> {
  const { text, page } = browseRequest.drives(query);
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
export async function sharedDrive(client: DriveClient, id: string, call: CallOptions): Promise<ListedDrive> {
  if (!client.service.can.sharedDrives) throw new DriveError('not_found');
  return client.getSharedDrive(idOf(client, id), call);
}

export async function createBrowsedFolder(
  client: DriveClient,
  body: unknown,
  call: CallOptions,
): Promise<NewFolderResponse> {
  const { name, parent } = browseRequest.folder(body);
  const folderId = parent === '' || parent === client.rootId ? '' : idOf(client, parent);
  const { folder, created } = await client.createFolder({ name, folderId, fields: LISTED_FIELDS }, call);
  // A service may omit the name from its response.
  return { folder: { ...listedFile(client, folder), name: folder.name ?? name, isFolder: true }, created };
}

/** The path of a file, found folder by folder up to the root. */
export async function findPath(client: DriveClient, fileId: string, call: CallOptions): Promise<FilePath> {
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

function pageRequest({ pageToken }: Cursor): { pageToken?: string; pageSize: number } {
  return { pageToken, pageSize: PAGE_SIZE };
}

function idOf({ service }: DriveClient, value: string, kind: FileOrFolder = 'folder'): string {
  return parseIdOrPath({ property: kind, source: 'editor', kind, value, can: service.can });
}
