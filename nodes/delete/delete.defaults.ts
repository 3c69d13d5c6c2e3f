/** Properties of the delete node: the table of docs/nodes/delete.md. */

export interface DeleteConfig {
  file: string;
  fileType: string;
  filePath: string;
  mode: 'permanent' | 'trash';
  allowFolders: boolean;
  missing: 'error' | 'ignore';
}

export const DEFAULTS: DeleteConfig = {
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  mode: 'permanent',
  allowFolders: false,
  missing: 'error',
};
