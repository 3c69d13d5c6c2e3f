/** Settings of the download node: the table of docs/nodes/download.md. */
export interface DownloadConfig {
  file: string;
  fileType: string;
  filename: string;
  filenameType: string;
  output: 'buffer' | 'string' | 'file';
  encoding: string;
  /** MiB, for `buffer` and `string`. */
  maxSize: number | string;
  overwrite: 'replace' | 'rename' | 'error';
  acknowledgeAbuse: boolean;
  /** For native documents: an ending of names or a media type; `''`: by the ending of the path on disk. */
  exportFormat: string;
  progress: boolean;
}
