/** What a synchronization does, and what it reports. */
import { stat } from 'node:fs/promises';
import { DriveError, errorCode } from '../errors';
import { localFileError } from '../fs/local-file-error';
import type { FolderPathRequest } from '../drive/resolver';
import { createPathMatcher } from '../core/globs/path-globs';

/**
 * `up` makes the folder on the drive like the one on disk, `down` the other way around. The source is never changed.
 */
type SyncDirection = 'up' | 'down';

export interface SyncRequest {
  direction: SyncDirection;
  /** Absolute path of the folder on disk. `down` creates it if it is missing. */
  localPath: string;
  /** `''` for the root; undefined for a folder that doesn't exist yet. */
  folderId: string | undefined;
  /**
   * Instead of the id. It is resolved once no other run in the same folder has to end first. Its missing folders are
   * created after the plan is complete.
   */
  folderPath?: FolderPathRequest | undefined;
  /** Globs, relative to the folder: see {@link createPathMatcher}. None includes everything; `exclude` wins. */
  include: readonly string[];
  exclude: readonly string[];
  /**
   * `time`: the same size and time in seconds means unchanged, otherwise the checksum decides. `checksum`: it always
   * does; without one, size and time together.
   */
  compare: 'time' | 'checksum';
  /** What happens to files that exist only at the destination. `trash` is for `up` only. */
  extra: 'keep' | 'trash' | 'delete';
  /** The most files that may be removed in one run. */
  maxRemovals: number;
  /** `follow`: only to targets inside the folder. */
  symlinks: 'skip' | 'follow' | 'error';
  /** Format of Workspace documents (down): a MIME type or a file extension; `''` skips them. */
  exportFormat: string;
  /** Lists and compares, but writes nothing. */
  dryRun: boolean;
  /** Called often. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

export interface SyncProgress {
  /** Files of the plan that are done, and all of them. */
  done: number;
  total: number;
  /** Bytes transferred, and to be transferred. The latter decreases when a checksum shows that a file is unchanged. */
  bytes: number;
  totalBytes: number;
  /** Of these bytes, those of earlier runs, which don't count for the rate. */
  resumedBytes: number;
  /** The file in progress or last done, relative to the folder. */
  path?: string;
}

export interface SyncSummary {
  direction: SyncDirection;
  dryRun: boolean;
  /** Numbers of files. */
  created: number;
  updated: number;
  unchanged: number;
  /** Includes files in removed folders. */
  removed: number;
  skipped: number;
  failed: number;
  /** Of the contents transferred; in a dry run, to be transferred. */
  bytes: number;
}

/** Named like the counters of {@link SyncSummary}. */
export type SyncAction = 'created' | 'updated' | 'removed' | 'skipped' | 'failed';

/** All but unchanged files. Paths are relative to the folder, with `/`, which also ends the path of a folder. */
export interface SyncChange {
  path: string;
  action: SyncAction;
  /** On the drive. */
  id?: string | undefined;
  /** Bytes. */
  size?: number | undefined;
  reason?: SyncReason | undefined;
  /** Of a failed file: usually a DriveError. */
  error?: unknown;
}

/**
 * Why a file is skipped, or what is special about it:
 * - `time` (updated): only its modified time differed.
 * - `renamed` (created or updated): the disk can't store its name.
 * - `reserved_name`: a name that this package gives to its own part files and work folders on disk.
 * - `symlink`, `symlink_outside`, `special_file`, `invalid_name`: no regular file inside the folder, or no valid name.
 * - `workspace_document`, `no_export_format`: has no content to download; isn't replaced by a file on disk.
 * - `shortcut`, `shortcut_seen`, `shortcut_target`: a shortcut on the drive that isn't followed; was followed
 * elsewhere;
 *   has no target.
 * - `not_comparable`: the service reports neither size nor time nor checksum; or no more than the
 *   size, and checksums are wanted.
 * - `changed`: changed, renamed or moved since it was listed, so it is neither removed nor replaced.
 */
export type SyncReason =
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

export interface SyncResult {
  summary: SyncSummary;
  /** At most 10,000. If there are more, failed and removed files are listed before others. */
  changes: SyncChange[];
  /** The number of the others. */
  changesOmitted: number;
  /** Of a dry run: whether another run used the folder on disk meanwhile. Its unfinished files are in the plan. */
  isDuringRun?: boolean;
  /** `partial_failure`, or the error that stopped the run. What was done until then is in `summary` and `changes`. */
  error?: DriveError;
}

/**
 * Checks the settings without sending a request.
 * @throws `invalid_input` for settings that contradict each other; `local_file` for a path that isn't a folder
 */
export async function checkSync(
  request: Pick<SyncRequest, 'direction' | 'localPath' | 'include' | 'exclude' | 'extra'>,
): Promise<void> {
  const { direction, localPath, include, exclude, extra } = request;
  if (direction === 'down' && extra === 'trash') {
    throw new DriveError('invalid_input', { text: 'invalid_input_sync_trash' });
  }
  createPathMatcher(include, 'include');
  createPathMatcher(exclude, 'exclude');
  await checkFolder(localPath, direction);
}

async function checkFolder(path: string, direction: SyncDirection): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    if (direction === 'down' && errorCode(error) === 'ENOENT') return;
    throw localFileError(error, path);
  }
  const params = { path, reason: 'ENOTDIR' };
  throw new DriveError('local_file', { text: 'local_file_sync_not_folder', params });
}
