/** Removes the files that retention rules don't keep. */
import { isDeepStrictEqual } from 'node:util';
import { type DriveError, isDriveError } from '../errors';
import type { DriveFile } from '../types';
import type { DateFrom, RetentionResult } from './retention';

export interface RemovalResult {
  kept: DriveFile[];
  /** `missing` is true for files that someone else had removed in the meantime. */
  removed: (DriveFile & { missing?: true })[];
  failed: { file: DriveFile; error: unknown }[];
  /** `cancelled`, if the removal was cancelled. The files that it didn't get to are kept. */
  cancelled?: DriveError;
}

export interface RemovalOptions {
  /** What the decision depends on, besides name and folder. */
  dateFrom: DateFrom;
  /** @returns undefined if the service can't tell. @throws `not_found` */
  getMetadata: (id: string, fields: string) => Promise<DriveFile | undefined>;
  /** @throws `not_found` */
  remove: (id: string) => Promise<void>;
  onProgress?: (done: number, total: number) => void;
}

/** Folders, shortcuts and files without a MIME type are always kept, and count for no rule. */
export function isBackup({ mimeType }: DriveFile): boolean {
  return mimeType !== undefined && !/^application\/vnd\.[^/]+-apps\.(folder|shortcut)$/.test(mimeType);
}

/** Removes the oldest first. A failure is listed in the result and doesn't stop the rest; a cancellation does. */
export async function removeExpired(
  decision: RetentionResult,
  options: RemovalOptions,
): Promise<RemovalResult> {
  const kept = [...decision.kept];
  const removed: RemovalResult['removed'] = [];
  const failed: RemovalResult['failed'] = [];
  const expired = [...decision.removed].reverse();
  for (const [index, file] of expired.entries()) {
    options.onProgress?.(index, expired.length);
    try {
      const outcome = await removeOne(file, options);
      if (outcome === 'kept') kept.unshift(file);
      else removed.unshift(outcome === 'missing' ? { ...file, missing: true } : file);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) {
        kept.unshift(...expired.slice(index).reverse());
        return { kept, removed, failed, cancelled: error };
      }
      failed.unshift({ file, error });
    }
  }
  return { kept, removed, failed };
}

/**
 * @returns `kept` if the file was moved, renamed or dated differently since it was listed, so that the decision no
 * longer applies; `missing` if someone else removed it, such as another prune of the same folder
 */
async function removeOne(
  file: DriveFile,
  { dateFrom, getMetadata, remove }: RemovalOptions,
): Promise<'removed' | 'missing' | 'kept'> {
  const relevant = ['name', 'parents', ...(dateFrom === 'name' ? [] : [dateFrom])];
  try {
    const current = await getMetadata(file.id, ['id', 'trashed', ...relevant].join());
    if (current?.trashed === true) return 'missing';
    if (current && hasChanged(file, current, relevant)) return 'kept';
    await remove(file.id);
    return 'removed';
  } catch (error) {
    if (isDriveError(error, 'not_found')) return 'missing';
    throw error;
  }
}

/** Whether one of the fields is different now, as far as both files have it. */
export function hasChanged(file: DriveFile, current: DriveFile, fields: readonly string[]): boolean {
  return fields.some((field) => {
    const [before, after] = [file[field], current[field]];
    return before !== undefined && after !== undefined && !isDeepStrictEqual(before, after);
  });
}
