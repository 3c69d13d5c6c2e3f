/**
 * Removes the files that retention rules don't keep, except those that have changed since they were listed and those that
 * the minimum needs.
 */
import { isDeepStrictEqual } from 'node:util';
import { type DriveError, isDriveError } from '../../errors';
import type { DriveFile } from '../../types';
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
  /** At least this many files stay, even if someone else removes some of those that are kept. */
  minimum: number;
  /** What the decision depends on, besides name and folder. */
  dateFrom: DateFrom;
  /** @returns undefined if the service can't tell. @throws `not_found` */
  getMetadata: (id: string, fields: string) => Promise<DriveFile | undefined>;
  /** @throws `not_found` */
  remove: (id: string) => Promise<void>;
  onProgress?: (done: number, total: number) => void;
}

/** Removals after which the files that are kept are looked at again, because others may be removing files too. */
const CHECK_INTERVAL = 20;

/** Removes the oldest first. A failure is listed in the result and doesn't stop the rest; a cancellation does. */
export async function removeExpired(
  decision: RetentionResult,
  options: RemovalOptions,
): Promise<RemovalResult> {
  const kept = [...decision.kept];
  const removed: RemovalResult['removed'] = [];
  const failed: RemovalResult['failed'] = [];
  const expired = [...decision.removed].reverse();
  const counted = decision.kept.slice(0, decision.counted);
  for (let index = 0; index < expired.length; index++) {
    options.onProgress?.(index, expired.length);
    const file = expired[index] as DriveFile;
    try {
      if (index % CHECK_INTERVAL === 0) await spare({ counted, kept, expired, index }, options);
      if (index >= expired.length) break;
      const outcome = await removeOne(file, options);
      if (outcome === 'kept') kept.unshift(file);
      else removed.unshift(outcome === 'missing' ? { ...file, missing: true } : file);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) {
        const left = expired.slice(index).reverse();
        return { kept: [left, kept].flat(), removed, failed, cancelled: error };
      }
      failed.unshift({ file, error });
    }
  }
  return { kept, removed, failed };
}

interface Removal {
  /** The kept files that count for the rules, newest first. */
  counted: DriveFile[];
  kept: DriveFile[];
  /** Oldest first. */
  expired: DriveFile[];
  /** Of the first expired file that isn't removed yet. */
  index: number;
}

/** Keeps the newest of the expired files too, until as many files as the minimum are still there. */
async function spare({ counted, kept, expired, index }: Removal, options: RemovalOptions): Promise<void> {
  let present = 0;
  for (let next = 0; present < options.minimum; next++) {
    if (next === counted.length) {
      if (expired.length <= index) break;
      const file = expired.pop() as DriveFile;
      counted.push(file);
      kept.unshift(file);
    }
    if (await isPresent(counted[next] as DriveFile, options)) present += 1;
  }
}

/** @returns false for a file that was removed, moved or renamed since it was listed, or if that is unknown */
async function isPresent(file: DriveFile, { getMetadata }: RemovalOptions): Promise<boolean> {
  try {
    const current = await getMetadata(file.id, 'id,trashed,name,parents');
    return !current || (current.trashed !== true && !hasChanged(file, current, ['name', 'parents']));
  } catch (error) {
    if (isDriveError(error, 'cancelled')) throw error;
    return false;
  }
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
