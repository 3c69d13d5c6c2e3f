import type { Drive } from '../files/drive';
import type { CallOptions, DriveFile } from '../types';
import type { DownloadRequest } from './to-memory';

export interface ToDisk extends DownloadRequest {
  /** Absolute. Ends in a separator, or is an existing folder: the file's own name is put behind it, made safe. */
  path: string;
  overwrite: 'replace' | 'rename' | 'error';
}

export declare function downloadToDisk(
  drive: Drive,
  request: ToDisk,
  call: CallOptions,
): Promise<{ file: DriveFile; path: string }>;
