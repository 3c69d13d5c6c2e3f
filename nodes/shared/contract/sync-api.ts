/** Response of the sync folder node's admin route that makes the plan in its dialog. */

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
