/** Properties of the list-folders node: the table of docs/nodes/list-folders.md. */
import { LIST_DEFAULTS } from '../shared/contract/defaults';

export const DEFAULTS = {
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  ...LIST_DEFAULTS,
};

export type ListFoldersConfig = typeof DEFAULTS;
