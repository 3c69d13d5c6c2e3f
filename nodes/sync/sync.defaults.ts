/** Properties of the sync folder node: the table of docs/nodes/sync.md. */
export const DEFAULTS = {
  localPath: 'filename',
  localPathType: 'msg',
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  /** `up`: disk to drive, `down`: drive to disk. */
  direction: 'up' as 'up' | 'down',
  /** Globs, one per line; empty = everything. */
  include: '',
  /** Globs, one per line; they win over `include`. */
  exclude: '',
  compare: 'time' as 'time' | 'checksum',
  /** What to do with files that exist only at the destination. */
  extra: 'keep' as 'keep' | 'trash' | 'delete',
  maxRemovals: 50 as number | string,
  symlinks: 'skip' as 'skip' | 'follow' | 'error',
  /** For Google documents, when downloading; empty = skip them. */
  exportFormat: '',
  createFolders: true,
  dryRun: false,
  /** s; the longest random delay before the run starts. */
  jitter: 0 as number | string,
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type SyncConfig = typeof DEFAULTS;
