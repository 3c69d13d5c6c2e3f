/** Validates the editor's requests to browse a drive. */
import { invalidRequest } from '../../shared/admin/admin-guard';
import { requestChoice, requestObject, requestText } from '../../shared/admin/request-members';
import type { List } from '../../shared/contract/dialog-api';
import { parseCursor } from './browse-page';

export interface BrowseRequest {
  /** Folder id, `''` for the root. */
  folder: string;
  /** Instead of a folder, `''` for none. */
  list: '' | List;
  /** Part of a name; if given, the list, the shared drive or the whole drive is searched. */
  text: string;
  /** Id of the shared drive to search, `''` for the account's drive. */
  drive: string;
  kind: 'folders' | 'any';
  page: string;
}

/** Each function throws `invalid_input` naming the property. */
export const browseRequest = {
  list(query: unknown): BrowseRequest {
    const given = requestObject(query);
    const text = (name: string): string => requestText(given, name);
    const page = text('page');
    if (parseCursor(page) === undefined) throw invalidRequest('page');
    const kind = requestChoice(given, 'kind', ['any', 'folders']);
    const list = requestChoice(given, 'list', ['', 'sharedWithMe', 'starred']);
    return { folder: text('folder'), list, text: text('text'), drive: text('drive'), kind, page };
  },

  /** The text is part of a name, `''` for all; the page is a page token, `''` for the first one. */
  drives(query: unknown): { text: string; page: string } {
    const given = requestObject(query);
    return { text: requestText(given, 'text').trim(), page: requestText(given, 'page') };
  },

  /** The parent is an id, `''` for the root. */
  folder(body: unknown): { name: string; parent: string } {
    const given = requestObject(body);
    const name = requestText(given, 'name').trim();
    if (name === '' || name.includes('/')) throw invalidRequest('name');
    return { name, parent: requestText(given, 'parent') };
  },
};
