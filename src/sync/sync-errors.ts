/** Errors that stop a synchronization before anything is written, and the one that reports failed files. */
import { DriveError } from '../errors';

/** What is wrong with the listings. Each is a text key. */
export type PathConflict =
  | 'conflict_sync_duplicates'
  | 'conflict_sync_names'
  | 'conflict_sync_exports'
  | 'conflict_sync_kinds'
  | 'conflict_sync_symlinks'
  | 'conflict_sync_loop';

const MAX_PATHS = 10;

/** @param paths all of them; the error lists the first ten and has their number */
export function pathConflict(text: PathConflict, paths: readonly string[]): DriveError {
  const listed = paths.slice(0, MAX_PATHS);
  if (paths.length > MAX_PATHS) listed.push(`+${paths.length - MAX_PATHS}`);
  return new DriveError('conflict', { text, params: { count: paths.length, paths: listed.join(', ') } });
}

export function tooManyRemovals(count: number, limit: number): DriveError {
  return new DriveError('conflict', { text: 'conflict_sync_removals', params: { count, limit } });
}

export function emptySource(count: number): DriveError {
  return new DriveError('conflict', { text: 'conflict_sync_empty', params: { count } });
}

/** The text key for a list that stays incomplete. */
export const INCOMPLETE_LIST = 'bad_response_incomplete_sync';

/** A file that someone changed between its listing and its replacement. */
export function changedOnDisk(path: string): DriveError {
  const params = { path, reason: 'changed' };
  return new DriveError('local_file', { text: 'local_file_sync_changed', params });
}

/** @param count files that were to be created, updated or removed */
export function filesFailed(failed: number, count: number): DriveError {
  return new DriveError('partial_failure', { text: 'partial_failure_sync', params: { failed, count } });
}
