import type { Drive } from '../files/drive';
import type { NewIds } from '../files/new-id';
import type { CallOptions, DriveFile, OnProgress } from '../types';

export type Content = { path: string } | { data: Buffer | string };

export interface Upload {
  content: Content;
  /** Name on the drive. */
  name: string;
  /** Folder id; `''`: none is sent, which is the root. */
  folderId: string;
  /** `''`: from the name. */
  mimeType: string;
  ifExists: 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';
  /** With content from disk: its modification time becomes the file's `modifiedTime`. */
  keepModifiedTime: boolean;
  /** More members of the file: `description`, `appProperties`, … */
  metadata: Record<string, unknown>;
  /** Fields of `file` in the result. */
  fields: string;
  onProgress?: OnProgress;
}

export interface Uploaded {
  file: DriveFile;
  /** A file was made, as opposed to replaced or skipped. */
  created: boolean;
  skipped: boolean;
}

export declare function upload(
  drive: Drive,
  newIds: NewIds,
  request: Upload,
  call: CallOptions,
): Promise<Uploaded>;
