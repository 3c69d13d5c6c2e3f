/** Properties of the prune node: the table of docs/nodes/prune.md. */
import { type NameMatch, RETENTION_DEFAULTS } from '../shared/contract/defaults';

export const DEFAULTS = {
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  match: 'glob' as NameMatch,
  pattern: '*',
  ...RETENTION_DEFAULTS,
  dateFrom: 'modifiedTime' as 'modifiedTime' | 'createdTime' | 'name',
  /** IANA time zone; `''` = the server's. */
  timeZone: '',
  mode: 'trash' as 'trash' | 'permanent',
  dryRun: true,
};

export type PruneConfig = typeof DEFAULTS;
