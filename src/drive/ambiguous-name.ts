/** The error for a name that several files of a folder have, as the service allows. */
import { DriveError } from '../errors';
import type { DriveFile } from '../types';

const MAX_IDS = 10;

export function ambiguousName(name: string, found: readonly DriveFile[], retryable = false): DriveError {
  const params = { name, ids: formatIds(found) };
  return new DriveError('conflict', { text: 'conflict_names', params, retryable });
}

/** @returns the ids; of many the first ten and the number of the others: `a, b, +5` */
export function formatIds(files: readonly DriveFile[]): string {
  const ids = files.slice(0, MAX_IDS).map(({ id }) => id);
  if (files.length > MAX_IDS) ids.push(`+${files.length - MAX_IDS}`);
  return ids.join(', ');
}
