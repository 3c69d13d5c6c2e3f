/** Settings of the search-files node: the table of docs/nodes/search-files.md. */
import type { ListConfig } from './list-output';

export interface SearchFilesConfig extends ListConfig {
  folder: string;
  folderType: string;
  text: string;
  textType: string;
  match: 'contains' | 'anywhere' | 'exact' | 'glob' | 'regex';
  caseSensitive: boolean;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  recursive: boolean;
  /** 1 is the folder alone, 0 has no limit. */
  maxDepth: number | string;
  /** ISO 8601, or `30 days` (ago); `''` for no bound. */
  modifiedAfter: string;
  modifiedBefore: string;
  /** Bytes, `''` for no bound. */
  minSize: number | string;
  maxSize: number | string;
  /** `image/*` is any of that kind. */
  mimeType: string;
  sort: '' | 'newest' | 'oldest' | 'name' | 'largest';
}
