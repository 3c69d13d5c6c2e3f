/** Properties of the download node: the table of docs/nodes/download.md. */

export interface DownloadConfig {
  file: string;
  fileType: string;
  filePath: string;
  filename: string;
  filenameType: string;
  output: 'buffer' | 'string' | 'file';
  encoding: string;
  /** MiB, for `buffer` and `string`. */
  maxSize: number | string;
  overwrite: 'replace' | 'rename' | 'error';
  acknowledgeAbuse: boolean;
  /** For Google Workspace documents: a file extension or MIME type; `''`: by the extension of the path on disk. */
  exportFormat: string;
  progress: boolean;
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: number;
}

export const DEFAULTS: DownloadConfig = {
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  filename: 'filename',
  filenameType: 'msg',
  output: 'buffer',
  encoding: 'utf8',
  maxSize: 256,
  overwrite: 'replace',
  acknowledgeAbuse: false,
  exportFormat: '',
  progress: false,
  outputs: 1,
};
