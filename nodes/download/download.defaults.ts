/** Properties of the download node: the table of docs/nodes/download.md. */

export const DEFAULTS = {
  file: 'payload',
  fileType: 'msg',
  filePath: '',
  filename: 'filename',
  filenameType: 'msg',
  output: 'buffer' as 'buffer' | 'string' | 'file',
  encoding: 'utf8',
  /** MiB, for `buffer` and `string`. */
  maxSize: 256 as number | string,
  overwrite: 'replace' as 'replace' | 'rename' | 'error',
  acknowledgeAbuse: false,
  /** For Google Workspace documents: a file extension or MIME type; `''`: by the extension of the path on disk. */
  exportFormat: '',
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type DownloadConfig = typeof DEFAULTS;
