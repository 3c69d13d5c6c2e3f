/** Compares a file on disk with the file on the drive, by what their listings say. */
import type { LocalFile, RemoteFile } from './sync-folder';
import type { SyncRequest } from './sync-request';

/**
 * - `checksum`: the content has to be compared.
 * - `newer` (up): the drive's file is newer, and the service has no checksums. Some services don't keep the modified time
 *   that is sent with an upload: there this is the time of the upload.
 * - `unknown`: there is nothing to compare, or only sizes although checksums are wanted.
 */
export type Comparison = 'same' | 'changed' | 'checksum' | 'newer' | 'unknown';

/** Without a checksum, the time decides, also if checksums are wanted. */
export function compareFiles(
  local: LocalFile,
  remote: RemoteFile,
  { direction, compare }: Pick<SyncRequest, 'direction' | 'compare'>,
): Comparison {
  const { size, time, checksum, isDocument } = remote;
  if (isDocument) return time === undefined || isSameTime(local.mtimeMs, time) ? 'same' : 'changed';
  if (size !== undefined && size !== local.size) return 'changed';
  const needsChecksum = compare === 'checksum' || time === undefined || !isSameTime(local.mtimeMs, time);
  if (checksum !== undefined && needsChecksum) return 'checksum';
  if (time === undefined) return size === undefined || compare === 'checksum' ? 'unknown' : 'same';
  if (isSameTime(local.mtimeMs, time)) return 'same';
  return direction === 'up' && time > local.mtimeMs ? 'newer' : 'changed';
}

/** Whole seconds: not all file systems and services keep fractions. @param a, b ms since 1970 */
export function isSameTime(a: number, b: number): boolean {
  return Math.floor(a / 1_000) === Math.floor(b / 1_000);
}
