/** Settings of the list-folders node: the table of docs/nodes/list-folders.md. */
import type { ListConfig } from '../shared/runtime/list-output';

export interface ListFoldersConfig extends ListConfig {
  folder: string;
  folderType: string;
}
