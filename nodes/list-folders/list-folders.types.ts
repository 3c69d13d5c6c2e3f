/** Settings of the list-folders node: the table of docs/nodes/list-folders.md. */
import type { ListingConfig } from '../shared/runtime/listing';

export interface ListFoldersConfig extends ListingConfig {
  folder: string;
  folderType: string;
}
