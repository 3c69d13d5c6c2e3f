/** Properties of the create-folder node: the table of docs/nodes/create-folder.md. */

export const DEFAULTS = {
  folder: '',
  folderType: 'str',
  folderPath: '',
  targetName: 'payload',
  targetNameType: 'msg',
};

export type CreateFolderConfig = typeof DEFAULTS;
