/** Responses of the routes that dialogs use: the browser of a drive, and those of single nodes. */
import type { ApiError } from './account-api';

export interface ListedFile {
  id: string;
  name: string;
  mimeType: string;
  isFolder: boolean;
  /** Bytes; absent for files without content. */
  size?: number;
  /** RFC 3339. */
  modifiedTime?: string;
  /** Whether its time of day is shown, too. */
  showsMinute?: boolean;
  /** In which its time is shown; by default the one of the browser. */
  timeZone?: string | undefined;
  /** Classes of Font Awesome, instead of the icon of its kind. */
  icon?: string;
  /** Shown behind the name. */
  mark?: string;
}

export interface FilePage {
  files: ListedFile[];
  /** Page token of the next page; absent on the last one. */
  nextPage?: string;
  /** The id of the drive's root folder. */
  rootId: string;
  /** The name of the account's shared drive, with its first page only. */
  rootName?: string;
  /** Where else the account can look, with the first page of its root only. */
  places?: Place[];
}

/** Besides the account's own drive: lists of Google Drive, and the shared drives. */
export type Place = List | 'sharedDrives';

/** As `where` of a search. */
export type List = 'sharedWithMe' | 'starred';

/** Its id is also the id of its root folder. */
export interface ListedDrive {
  id: string;
  name: string;
}

export interface DrivePage {
  drives: ListedDrive[];
  /** Page token of the next page; absent on the last one. */
  nextPage?: string;
}

/** The first matches of a search-files node. */
export interface SearchTestResult {
  files: ListedFile[];
  /** True if there are more matches than these. */
  more: boolean;
  /** True if matches may be missing: the service says so, or the search timed out. */
  incomplete: boolean;
}

/**
 * The path of a file, for display: `/Backups/2026`, or `Team/2026` on a shared drive that isn't the account's own. It
 * starts with `…/` if folders above can't be read, and is `''` if even the file's name is unknown.
 */
export interface FilePath {
  path: string;
}

export interface NewFolderResponse {
  folder: ListedFile;
  /** False if the folder existed already. */
  created: boolean;
}

/** What a backup of the source would include. */
export interface BackupTestResponse {
  entries: number;
  /** Before compression. */
  bytes: number;
  /** Paths of the first entries, as in the archive. */
  first: string[];
  /** How many files can't be included, such as sockets. */
  skipped: number;
  firstSkipped: string[];
  /** True if reading the source took too long. */
  isStopped?: true;
}

/** A new key pair of the age format. */
export interface KeyPair {
  /** The private key. It is stored nowhere. */
  identity: string;
  /** The public key, `age1…`. */
  recipient: string;
}

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

/** What a run would do. */
export interface SyncPlanResponse {
  /** Numbers of files. */
  created: number;
  updated: number;
  unchanged: number;
  removed: number;
  skipped: number;
  failed: number;
  /** Of the contents that would be transferred. */
  bytes: number;
  /** The first files that aren't unchanged. */
  first: PlannedChange[];
  /** How many files aren't unchanged. */
  changes: number;
  /** Another run used the folder on disk meanwhile. Its unfinished files are in the plan. */
  isDuringRun: boolean;
}

export interface PlannedChange {
  path: string;
  action: 'created' | 'updated' | 'removed' | 'skipped' | 'failed';
  /** As in `msg.changes`. */
  reason?: PlannedReason;
  /** Why the file fails, in Node-RED's language. */
  problem?: string;
}

/** Why a file is skipped, or what is special about it. */
type PlannedReason =
  | 'time'
  | 'renamed'
  | 'symlink'
  | 'symlink_outside'
  | 'special_file'
  | 'invalid_name'
  | 'reserved_name'
  | 'workspace_document'
  | 'no_export_format'
  | 'shortcut'
  | 'shortcut_seen'
  | 'shortcut_target'
  | 'not_comparable'
  | 'changed';
