/** Properties of the search-files node: the table of docs/nodes/search-files.md. */
import { LIST_DEFAULTS, type NameMatch } from '../shared/contract/defaults';

export const DEFAULTS = {
  folder: 'payload.folderId',
  folderType: 'msg',
  folderPath: '',
  text: 'payload.text',
  textType: 'msg',
  ...LIST_DEFAULTS,
  limitType: 'str',
  where: 'folder' as 'folder' | 'sharedWithMe' | 'starred',
  /** An expression of Google Drive's query language; `''` = none. */
  query: '',
  match: 'contains' as NameMatch,
  kind: 'files' as 'files' | 'folders' | 'any',
  includeTrashed: false,
  caseSensitive: false,
  recursive: false,
  /** 1 = only the folder itself, 0 = no limit. */
  maxDepth: 0 as number | string,
  /** ISO 8601 or an age such as `30 days`; `''` = no bound. */
  modifiedAfter: '',
  modifiedAfterType: 'str',
  modifiedBefore: '',
  modifiedBeforeType: 'str',
  /** Bytes; `''` = no bound. */
  minSize: '' as number | string,
  minSizeType: 'str',
  maxSize: '' as number | string,
  maxSizeType: 'str',
  /** A MIME type, or a prefix such as `image/*`. */
  mimeType: '',
  mimeTypeType: 'str',
  sort: '' as '' | 'newest' | 'oldest' | 'name' | 'largest',
};

export type SearchFilesConfig = typeof DEFAULTS;
