/** Settings of the upload node: the table of docs/nodes/upload.md. */
export interface UploadConfig {
  data: string;
  dataType: string;
  filename: string;
  filenameType: string;
  targetName: string;
  targetNameType: string;
  folder: string;
  folderType: string;
  source: 'payload' | 'file';
  mimeType: string;
  ifExists: 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';
  /** Folders of a path that aren't there are made. */
  createFolders: boolean;
  keepModifiedTime: boolean;
  metadata: string;
  metadataType: string;
  progress: boolean;
}
