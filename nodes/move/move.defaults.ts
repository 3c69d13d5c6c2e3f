/** Properties of the move node: the table of docs/nodes/move.md. */
import type { IfExists } from '../shared/contract/choices';

export interface MoveConfig {
  action: 'move' | 'copy' | 'restore';
  file: string;
  fileType: string;
  filePath: string;
  /** `''`: the file stays in its folder. */
  folder: string;
  folderType: string;
  folderPath: string;
  /** `''`: the file keeps its name. */
  targetName: string;
  targetNameType: string;
  /** Whether to create the missing folders of a path. */
  createFolders: boolean;
  ifExists: IfExists;
}

export const DEFAULTS: MoveConfig = {
  action: 'move',
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  folder: '',
  folderType: 'str',
  folderPath: '',
  targetName: '',
  targetNameType: 'str',
  createFolders: false,
  ifExists: 'duplicate',
};
