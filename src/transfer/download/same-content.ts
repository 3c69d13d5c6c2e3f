/** Detects that a file on the drive has changed since a part of it was downloaded. */
import { createHash } from 'node:crypto';
import { checksumOf } from '../../drive/checksums';
import type { DriveFile } from '../../types';
import type { DownloadFile } from './download-file';

/**
 * Identifies the content of a part file for a later run.
 * @param name of the target file
 * @returns a key that is the same only for the same content of the same file and the same target name; undefined if the
 *   metadata can't identify the content
 */
export function contentKey(name: string, { file, size, algorithm }: DownloadFile): string | undefined {
  if (size === undefined || algorithm === undefined) return undefined;
  const content = [name, file.id, size, algorithm, checksumOf(file, algorithm)];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}

/**
 * @returns whether the content is the same according to its size and checksum; without a checksum, its size and time
 */
export function isSameContent(a: DownloadFile, b: DownloadFile): boolean {
  if (a.size !== b.size || a.algorithm !== b.algorithm) return false;
  if (a.algorithm === undefined) return a.size !== undefined && !haveDifferentTimes(a.file, b.file);
  return checksumOf(a.file, a.algorithm) === checksumOf(b.file, a.algorithm);
}

/** @returns false if one of the times is unknown */
function haveDifferentTimes(a: DriveFile, b: DriveFile): boolean {
  return Math.abs(Date.parse(a.modifiedTime ?? '') - Date.parse(b.modifiedTime ?? '')) > 0;
}
