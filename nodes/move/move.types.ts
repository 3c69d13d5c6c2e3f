/** Settings of the move node: the table of docs/nodes/move.md. */
import type { ConflictPolicy } from '../../src/index';

export interface MoveConfig {
  file: string;
  fileType: string;
  /** `''`: it stays where it is. */
  folder: string;
  folderType: string;
  /** `''`: it keeps its name. */
  targetName: string;
  targetNameType: string;
  action: 'move' | 'copy' | 'restore';
  /** Folders of a path that aren't there are made. */
  createFolders: boolean;
  ifExists: ConflictPolicy;
}
