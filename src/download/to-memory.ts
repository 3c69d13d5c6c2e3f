/** Placeholder until the transfer part lands in the same commit series. */
import type { CallOptions, DriveFile, OnProgress } from '../types';
import type { Drive } from '../files/drive';

export interface DownloadRequest {
  id: string;
  /** Metadata fields of `file` in the result. */
  fields: string;
  /** Sent only after the service has refused the file as abusive. */
  acknowledgeAbuse: boolean;
  onProgress?: OnProgress;
}

export interface ToMemory extends DownloadRequest {
  /** Bytes; a larger file is refused before it is fetched. */
  maxSize: number;
}

export declare function downloadToMemory(
  drive: Drive,
  request: ToMemory,
  call: CallOptions,
): Promise<{ file: DriveFile; content: Buffer }>;
