/** Properties of the restore node: the table of docs/nodes/restore.md. */
export const DEFAULTS = {
  action: 'restore' as 'restore' | 'check' | 'list',
  from: 'archives' as 'archives' | 'snapshots',
  /** Of archives, or the repository of snapshots. */
  folder: '/Backups',
  folderType: 'str',
  folderPath: '',
  /** Snapshots have no number and no file; only they have an `id`. */
  which: 'newest' as 'newest' | 'number' | 'date' | 'file' | 'id',
  /** The number, date, file or ID that `which` asks for. */
  select: 'payload',
  selectType: 'msg',
  selectPath: '',
  /** Glob for the names of archives. */
  pattern: '*',
  /** Whether an archive or snapshot that is marked incomplete may be chosen, too. */
  allowIncomplete: false,
  /** Snapshots of this host's sources, or of any. */
  sources: 'own' as 'own' | 'any',
  localPath: 'filename',
  localPathType: 'msg',
  overwrite: 'error' as 'error' | 'replace',
  /** Whether the contents of the only top folder go directly into `localPath`. */
  stripTop: false,
  /** Globs for entries, one per line. */
  include: '',
  /** How many times larger than the archive its content may be; 0 = no limit; empty = 100 times, but at least 1 GiB. */
  maxRatio: '' as number | string,
  /** check: `age` reads nothing of the archive or snapshot. */
  depth: 'content' as 'age' | 'content',
  /** check: hours, 0 = any. */
  maxAge: 0 as number | string,
  /** check: path of a folder on disk; empty = nothing is compared. */
  compareWith: '',
  failOnDifferences: false,
  /** check of snapshots: percent of the packs that are read, a different part each day. */
  readData: 100 as number | string,
  /** list: one message with all entries, or one for each. */
  output: 'array' as 'array' | 'each',
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type RestoreConfig = typeof DEFAULTS;
