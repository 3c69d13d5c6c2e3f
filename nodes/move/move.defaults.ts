/** Properties of the move node: the table of docs/nodes/move.md. */
import type { IfExists } from '../shared/contract/defaults';

export const DEFAULTS = {
  action: 'move' as 'move' | 'copy' | 'restore' | 'shortcut',
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  /** `''`: the file stays in its folder; a shortcut is created in the root. */
  folder: '',
  folderType: 'str',
  folderPath: '',
  /** `''`: the file keeps its name. */
  targetName: '',
  targetNameType: 'str',
  /** Whether to create the missing folders of a path. */
  createFolders: false,
  ifExists: 'duplicate' as IfExists,
};

export type MoveConfig = typeof DEFAULTS;
