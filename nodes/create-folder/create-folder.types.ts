/** Settings of the create-folder node: the contract's table. */
export interface CreateFolderConfig {
  folder: string;
  folderType: string;
  targetName: string;
  targetNameType: string;
}
