/** Properties of the search-files node: the table of docs/nodes/search-files.md. The account's search test uses them too. */
import type { NameMatch } from './choices';
import { LIST_DEFAULTS, type ListConfig } from './list-defaults';

export interface SearchFilesConfig extends ListConfig {
  folder: string;
  folderType: string;
  folderPath: string;
  text: string;
  textType: string;
  match: NameMatch;
  caseSensitive: boolean;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  recursive: boolean;
  /** 1 = only the folder itself, 0 = no limit. */
  maxDepth: number | string;
  /** ISO 8601 or an age such as `30 days`; `''` = no bound. */
  modifiedAfter: string;
  modifiedBefore: string;
  /** Bytes; `''` = no bound. */
  minSize: number | string;
  maxSize: number | string;
  /** A MIME type, or a prefix such as `image/*`. */
  mimeType: string;
  sort: '' | 'newest' | 'oldest' | 'name' | 'largest';
}

export const SEARCH_DEFAULTS: SearchFilesConfig = {
  folder: 'payload.folderId',
  folderType: 'msg',
  folderPath: '',
  text: 'payload.text',
  textType: 'msg',
  ...LIST_DEFAULTS,
  match: 'contains',
  kind: 'files',
  includeTrashed: false,
  caseSensitive: false,
  recursive: false,
  maxDepth: 0,
  modifiedAfter: '',
  modifiedBefore: '',
  minSize: '',
  maxSize: '',
  mimeType: '',
  sort: '',
};
