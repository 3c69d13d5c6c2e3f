/** Properties of the upload node: the table of docs/nodes/upload.md. */
import type { IfExists } from '../shared/contract/defaults';

export const DEFAULTS = {
  source: 'payload' as 'payload' | 'file',
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
  /** `''`: stored as it is. */
  convertTo: '' as '' | 'document' | 'spreadsheet' | 'presentation',
  ifExists: 'duplicate' as IfExists,
  /** Whether to create the missing folders of a path. */
  createFolders: false,
  keepModifiedTime: true,
  metadata: '',
  metadataType: 'str',
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type UploadConfig = typeof DEFAULTS;
