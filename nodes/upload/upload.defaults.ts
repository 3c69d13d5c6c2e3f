/** Properties of the upload node: the table of docs/nodes/upload.md. */
import type { IfExists } from '../shared/contract/choices';

export interface UploadConfig {
  source: 'payload' | 'file';
  data: string;
  dataType: string;
  filename: string;
  filenameType: string;
  targetName: string;
  targetNameType: string;
  folder: string;
  folderType: string;
  folderPath: string;
  mimeType: string;
  ifExists: IfExists;
  /** Whether to create the missing folders of a path. */
  createFolders: boolean;
  keepModifiedTime: boolean;
  metadata: string;
  metadataType: string;
  progress: boolean;
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: number;
}

export const DEFAULTS: UploadConfig = {
  source: 'payload',
  data: 'payload',
  dataType: 'msg',
  filename: 'filename',
  filenameType: 'msg',
  targetName: '',
  targetNameType: 'str',
  folder: 'folderId',
  folderType: 'msg',
  folderPath: '',
  mimeType: '',
  ifExists: 'duplicate',
  createFolders: false,
  keepModifiedTime: true,
  metadata: '',
  metadataType: 'str',
  progress: false,
  outputs: 1,
};
