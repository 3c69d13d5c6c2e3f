/** Settings of the download node: the contract's table. */
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
  progress: boolean;
}
