/**
 * Looks at a drive for a person in the editor: page by page, through the client of the deployed account and paced with
 * everything else that it does.
 */
import { type CallOptions, type DriveClient, type DriveFile, isDriveError } from '../../../src/index';
import { type ItemKind, parseIdOrPath } from '../../shared/runtime/id-or-path';
import type { AccountRegistry } from '../accounts/account-registry';
import type { FilePath, FilePage, NewFolderResponse } from '../../shared/contract/browse-api';
import { type Cursor, nextCursor, readCursor, sortFiles } from './browse-page';
import { type FolderRequest, browseRequest } from './browse-request';
import { LISTED_FIELDS, listedFile, listedFiles } from './listed-file';

/** Items at a time: what a person looks through, and a browser draws at once. */
const PAGE_SIZE = 200;
/** A page can be empty and not be the last; so many are passed over for one answer. */
const MOST_EMPTY = 10;
/** Folders in one another. */
const MOST_DEPTH = 50;

export class DriveBrowser {
  constructor(private readonly accounts: AccountRegistry) {}

  /** A page of a folder, or of what has the text in its name anywhere on the drive. */
  async list(id: string, query: unknown, call: CallOptions): Promise<FilePage> {
    const client = this.accounts.client(id);
    const { folder, text, kind, page } = browseRequest.list(query);
    const place = text === '' ? { folderId: folder === '' ? client.rootId : idOf(client, folder) } : {};
    const wanted = { ...place, text, kind, includeTrashed: false, fields: LISTED_FIELDS, ...order(client) };
    for (let cursor = readCursor(page), turn = 1; ; turn++) {
      const { files, nextPageToken } = await client.searchPage({ ...wanted, ...askFor(cursor) }, call);
      const listed = sortFiles(client.service.kind, listedFiles(client, files));
      const shown = listed.slice(cursor.offset, cursor.offset + PAGE_SIZE);
      const nextPage = nextCursor(cursor, { size: PAGE_SIZE, of: listed.length, nextPageToken });
      if (nextPage === undefined) return { files: shown, rootId: client.rootId };
      if (shown.length > 0 || turn === MOST_EMPTY) return { files: shown, rootId: client.rootId, nextPage };
      cursor = readCursor(nextPage);
    }
  }

  async newFolder(id: string, body: unknown, call: CallOptions): Promise<NewFolderResponse> {
    const client = this.accounts.client(id);
    const { name, parent }: FolderRequest = browseRequest.folder(body);
    const folderId = parent === '' || parent === client.rootId ? '' : idOf(client, parent);
    const { folder, created } = await client.createFolder({ name, folderId, fields: LISTED_FIELDS }, call);
    // What a service leaves out of its answer is what was asked for.
    return { folder: { ...listedFile(client, folder), name: folder.name ?? name, isFolder: true }, created };
  }

  /** Where a file lies, folder by folder up to the root. */
  async filePath(id: string, fileId: string, call: CallOptions): Promise<FilePath> {
    const client = this.accounts.client(id);
    const names: string[] = [];
    let at: string | undefined = idOf(client, fileId, 'file');
    try {
      for (let depth = 0; at !== undefined && depth < MOST_DEPTH; depth++) {
        if (await client.isRoot(at, call)) return { path: `/${names.join('/')}` };
        const file: DriveFile | undefined = await client.getMetadata(at, 'id,name,parents', call);
        names.unshift(...(file?.name === undefined ? [] : [file.name]));
        at = file?.parents?.[0];
      }
    } catch (error) {
      // A folder above may be hidden from this sign-in; the file itself must be there.
      if (names.length === 0 || !isDriveError(error, 'not_found')) throw error;
    }
    return { path: names.length === 0 ? '' : `…/${names.join('/')}` };
  }
}

/** The order in which a person looks for something; a custom service need know none. */
function order({ service }: DriveClient): { orderBy?: string } {
  return service.kind === 'google' ? { orderBy: 'folder,name_natural' } : {};
}

function askFor({ pageToken }: Cursor): { pageToken?: string; pageSize: number } {
  return { ...(pageToken === undefined ? {} : { pageToken }), pageSize: PAGE_SIZE };
}

function idOf({ service }: DriveClient, value: string, kind: ItemKind = 'folder'): string {
  return parseIdOrPath({ property: kind, source: 'editor', kind, value, service: service.kind });
}
