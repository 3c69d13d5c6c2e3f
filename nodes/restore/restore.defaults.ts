/** Properties of the restore node: the table of docs/nodes/restore.md. */
export const DEFAULTS = {
  folder: '/Backups',
  folderType: 'str',
  folderPath: '',
  which: 'newest' as 'newest' | 'number' | 'date' | 'file',
  /** The number, date or file that `which` asks for. */
  select: 'payload',
  selectType: 'msg',
  selectPath: '',
  /** Glob for the names of archives. */
  pattern: '*',
  localPath: 'filename',
  localPathType: 'msg',
  overwrite: 'error' as 'error' | 'replace',
  /** Whether the contents of the archive's only top folder go directly into `localPath`. */
  stripTop: false,
  /** Globs for entries, one per line. */
  include: '',
  /** How many times larger than the archive its content may be; 0 = no limit; empty = 100 times, but at least 1 GiB. */
  maxRatio: '' as number | string,
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

/** Properties without a field in the dialog yet. */
export const MORE_DEFAULTS = {
  action: 'restore' as 'restore' | 'check' | 'list',
  /** Whether an archive that is marked incomplete may be chosen, too. */
  allowIncomplete: false,
  /** check: path of a folder on disk; empty = nothing is compared. */
  compareWith: '',
  failOnDifferences: false,
  /** check: hours, 0 = any. */
  maxAge: 0 as number | string,
  depth: 'content' as 'age' | 'content',
  /** list: one message with all entries, or one for each. */
  output: 'array' as 'array' | 'each',
};

export type RestoreConfig = typeof DEFAULTS & typeof MORE_DEFAULTS;
