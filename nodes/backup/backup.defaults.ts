/** Properties of the backup node: the table of docs/nodes/backup.md. */
import { RETENTION_DEFAULTS } from '../shared/contract/defaults';

export const DEFAULTS = {
  format: 'archive' as 'archive' | 'snapshot',
  source: 'filename',
  sourceType: 'msg',
  folder: '/Backups',
  folderType: 'str',
  folderPath: '',
  /** Template for the archive's name, without its extension. */
  targetName: '{name}-{date}-{number}',
  targetNameType: 'str',
  /** Globs, one per line. */
  exclude: '',
  compression: 'gzip' as 'gzip' | 'none',
  encryption: 'none' as 'none' | 'passphrase' | 'recipients',
  /** Public keys, `age1…`, separated by line breaks, spaces or commas. */
  recipients: '',
  /** Of snapshots, one per line. */
  tags: '',
  /** MiB; the size of the files of a repository. */
  packSize: 16 as number | string,
  /** Percent of a repository that may be unused before it is cleaned up. */
  maxUnused: 5 as number | string,
  /** Whether to create the missing folders of a path. */
  createFolders: true,
  ...RETENTION_DEFAULTS,
  mode: 'trash' as 'trash' | 'permanent',
  /** s; the longest random delay before the backup starts. */
  jitter: 0 as number | string,
  progress: false,
  /** 2 with `progress`; Node-RED draws that many outputs. */
  outputs: 1,
};

export type BackupConfig = typeof DEFAULTS;
