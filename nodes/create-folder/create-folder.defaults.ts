/** Properties of the create-folder node: the table of docs/nodes/create-folder.md. */

export interface CreateFolderConfig {
  folder: string;
  folderType: string;
  folderPath: string;
  targetName: string;
  targetNameType: string;
}

export const DEFAULTS: CreateFolderConfig = {
  folder: '',
  folderType: 'str',
  folderPath: '',
  targetName: 'payload',
  targetNameType: 'msg',
};
