/** Settings of the create-folder node: the table of docs/nodes/create-folder.md. */
export interface CreateFolderConfig {
  folder: string;
  folderType: string;
  targetName: string;
  targetNameType: string;
}
