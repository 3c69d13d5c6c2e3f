/** Settings of the list-folders node: the contract's table. */
import type { ListingConfig } from '../shared/runtime/listing';

export interface ListFoldersConfig extends ListingConfig {
  folder: string;
  folderType: string;
}
