/** Settings of the prune node: the table of docs/nodes/prune.md. */
import type { DateFrom, DriveFile } from '../../src/index';

export interface PruneConfig {
  folder: string;
  folderType: string;
  match: 'contains' | 'anywhere' | 'exact' | 'glob' | 'regex';
  pattern: string;
  keepNewest: number | string;
  keepDays: number | string;
  daily: number | string;
  weekly: number | string;
  monthly: number | string;
  yearly: number | string;
  minimum: number | string;
  dateFrom: DateFrom;
  /** IANA name, `''` for the server's. */
  timeZone: string;
  mode: 'trash' | 'permanent';
  dryRun: boolean;
}

/** `msg.payload` of the result. With `dryRun`, `removed` is what would be. */
export interface Pruned {
  kept: DriveFile[];
  /** `missing` is true of what somebody else had taken away before it was this run's turn. */
  removed: (DriveFile & { missing?: true })[];
  failed: (DriveFile & { error: { code: string; message: string } })[];
}
