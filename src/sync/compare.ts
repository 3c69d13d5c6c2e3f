/**
 * Compares a file on disk with the file on the drive, by what their listings say. If both sides have changed, the
 * source wins, unless they can't be compared: `addCompared` and `finish` in plan.ts.
 */
import type { LocalFile, RemoteFile } from './sync-folder';
import type { SyncRequest } from './sync-request';

/**
 * - `checksum`: the content has to be compared.
 * - `newer` (up): the drive's file is newer, and the service has no checksums. Some services don't keep the modified
 *   time that is sent with an upload: there this is the time of the upload.
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

/** The first and last times, in seconds since 1970, that file systems store instead of earlier and later ones. */
const FIRST_TIMES = [
  // NTFS; ext4 and XFS; file systems with unsigned times.
  ...[-11_644_473_600, -(2 ** 31), 0],
];
const LAST_TIMES = [
  // With times of 32 bits; unsigned ones; ext4; XFS.
  ...[2 ** 31 - 1, 2 ** 32 - 1, 15_032_385_535, 16_299_260_424],
];
/** Of FAT and exFAT, in whatever time zone the disk is used. */
const [FIRST_FAT_TIME, LAST_FAT_TIME] = [315_532_800, 4_354_819_199];
const MAX_ZONE = 14 * 3_600;

/**
 * Whole seconds: not all file systems and services keep fractions. A time that the disk can't store is the same as the
 * next one that it can.
 * @param local, remote ms since 1970
 */
export function isSameTime(local: number, remote: number): boolean {
  const stored = Math.floor(local / 1_000);
  const wanted = Math.floor(remote / 1_000);
  if (wanted < stored) return FIRST_TIMES.includes(stored) || isNear(stored, FIRST_FAT_TIME);
  if (wanted > stored) return LAST_TIMES.includes(stored) || isNear(stored, LAST_FAT_TIME);
  return true;
}

function isNear(time: number, limit: number): boolean {
  return Math.abs(time - limit) <= MAX_ZONE;
}
