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
  /** Globs for entries, one per line. */
  include: '',
  /** How many times larger than the archive its content may be; 0 = no limit; empty = 100 times, but at least 1 GiB. */
  maxRatio: '' as number | string,
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type RestoreConfig = typeof DEFAULTS;
