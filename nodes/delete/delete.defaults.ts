/** Properties of the delete node: the table of docs/nodes/delete.md. */

export const DEFAULTS = {
  /** `trash`: empties the trash of the account's drive. */
  what: 'file' as 'file' | 'trash',
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  mode: 'permanent' as 'permanent' | 'trash',
  allowFolders: false,
  missing: 'error' as 'error' | 'ignore',
};

export type DeleteConfig = typeof DEFAULTS;
