/** Responses of the restore node's admin routes. */
import type { ApiError } from './account-api';

/** An archive or a snapshot. */
export interface ListedBackup {
  id: string;
  name: string;
  /** Bytes, if known. */
  size?: number;
  /** RFC 3339 */
  time?: string;
  /** False if it lacks something. */
  complete: boolean;
  /** Whether the settings of the dialog select it. */
  selected: boolean;
}

export interface BackupList {
  /** Newest first. */
  backups: ListedBackup[];
  /** True if there are more than these. */
  more: boolean;
}

export interface BrowsedBackups extends BackupList {
  /** Of the server: a typed date without a zone is in this one. */
  timeZone: string;
}

/** Path, `true` for a folder, bytes, and the time when it was modified, in ms since 1970. An array, because there may be many. */
export type BackupEntry = [path: string, isFolder: boolean, size: number, modifiedTime: number];

export interface BackupEntries {
  entries: BackupEntry[];
  /** True if there are more than these. */
  more: boolean;
}

/** The result of a check, as in messages of the node. */
export interface CheckedBackup {
  name: string;
  /** Hours; null if unknown. */
  age: number | null;
  /** False for an incomplete archive. */
  complete: boolean;
  /** Unless only the age was checked. */
  entries?: number;
  bytes?: number;
  milliseconds?: number;
  /** How many paths differ, and the first of them. */
  differences?: Record<'missing' | 'extra' | 'different', { count: number; first: string[] }>;
}

/** Work that a request started. */
export interface StartedWork {
  work: string;
}

export type WorkState<Result> =
  | { state: 'running'; progress?: WorkProgress }
  | { state: 'done'; result: Result }
  | { state: 'failed'; error: ApiError };

export interface WorkProgress {
  /** Bytes. */
  done: number;
  /** Bytes; null if unknown. */
  total: number | null;
}
