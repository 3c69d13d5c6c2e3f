/** Properties of the prune node: the table of docs/nodes/prune.md. */
import type { NameMatch } from '../shared/contract/choices';

export const DEFAULTS = {
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  match: 'glob' as NameMatch,
  pattern: '*',
  keepNewest: 0 as number | string,
  keepDays: 0 as number | string,
  daily: 0 as number | string,
  weekly: 0 as number | string,
  monthly: 0 as number | string,
  yearly: 0 as number | string,
  minimum: 1 as number | string,
  dateFrom: 'modifiedTime' as 'modifiedTime' | 'createdTime' | 'name',
  /** IANA time zone; `''` = the server's. */
  timeZone: '',
  mode: 'trash' as 'trash' | 'permanent',
  dryRun: true,
};

export type PruneConfig = typeof DEFAULTS;
