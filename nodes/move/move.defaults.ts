/** Properties of the move node: the table of docs/nodes/move.md. */
import type { IfExists } from '../shared/contract/choices';

export const DEFAULTS = {
  action: 'move' as 'move' | 'copy' | 'restore',
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  /** `''`: the file stays in its folder. */
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
