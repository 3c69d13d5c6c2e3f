/** Properties of the prune node: the table of docs/nodes/prune.md. */
import type { NameMatch } from '../shared/contract/choices';

export interface PruneConfig {
  folder: string;
  folderType: string;
  folderPath: string;
  match: NameMatch;
  pattern: string;
  keepNewest: number | string;
  keepDays: number | string;
  daily: number | string;
  weekly: number | string;
  monthly: number | string;
  yearly: number | string;
  minimum: number | string;
  dateFrom: 'modifiedTime' | 'createdTime' | 'name';
  /** IANA time zone; `''` = the server's. */
  timeZone: string;
  mode: 'trash' | 'permanent';
  dryRun: boolean;
}

export const DEFAULTS: PruneConfig = {
  folder: 'payload',
  folderType: 'msg',
  folderPath: '',
  match: 'glob',
  pattern: '*',
  keepNewest: 0,
  keepDays: 0,
  daily: 0,
  weekly: 0,
  monthly: 0,
  yearly: 0,
  minimum: 1,
  dateFrom: 'modifiedTime',
  timeZone: '',
  mode: 'trash',
  dryRun: true,
};
