/** Properties of the list-folders node: the table of docs/nodes/list-folders.md. */
import { LIST_DEFAULTS, type ListConfig } from '../shared/contract/list-defaults';

export interface ListFoldersConfig extends ListConfig {
  folder: string;
  folderType: string;
  folderPath: string;
}

export const DEFAULTS: ListFoldersConfig = {
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  ...LIST_DEFAULTS,
};
