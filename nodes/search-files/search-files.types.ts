/** Settings of the search-files node: the contract's table. */
import type { ListingConfig } from '../shared/runtime/listing';

export interface SearchFilesConfig extends ListingConfig {
  folder: string;
  folderType: string;
  text: string;
  textType: string;
  match: 'contains';
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
}
