/** The retention rules of the campaign; each has a prune node. */

export interface PruneRules {
  keepNewest: number;
  /** ISO time in UTC without a zone: newer files are kept. The node gets it in days, see {@link daysSince}. */
  youngerThan: string;
  daily: number;
  weekly: number;
  monthly: number;
  yearly: number;
  minimum: number;
  dateFrom: 'name' | 'modifiedTime';
  mode: 'trash' | 'permanent';
  dryRun: boolean;
}

const RULES = {
  keepNewest: 0,
  youngerThan: '',
  daily: 0,
  weekly: 0,
  monthly: 0,
  yearly: 0,
  minimum: 0,
  dateFrom: 'name',
  mode: 'trash',
  dryRun: false,
} as const;

/** Differs from the times of all files by more than a run takes. */
const MIDDLE = '2024-05-02T12:30';

/** Glob of the file names that the rules apply to. */
export const PRUNED = 'backup*';
export const PRUNES: readonly PruneRules[] = [
  { ...RULES, keepNewest: 1 },
  { ...RULES, keepNewest: 2, dateFrom: 'modifiedTime', mode: 'permanent' },
  { ...RULES, keepNewest: 1, minimum: 3, mode: 'permanent' },
  { ...RULES, daily: 1, minimum: 2, dateFrom: 'modifiedTime' },
  { ...RULES, daily: 2, mode: 'permanent' },
  { ...RULES, keepNewest: 1, dryRun: true },
  { ...RULES, youngerThan: MIDDLE },
  { ...RULES, youngerThan: MIDDLE, minimum: 2, dateFrom: 'modifiedTime', mode: 'permanent' },
  { ...RULES, weekly: 2, mode: 'permanent' },
  { ...RULES, monthly: 2, dateFrom: 'modifiedTime' },
  { ...RULES, yearly: 1 },
  { ...RULES, youngerThan: MIDDLE, daily: 1, weekly: 2, monthly: 2, yearly: 2 },
];

const DAY = 86_400_000;

/** @returns 0 without a time, which disables the rule */
export function daysSince(time: string, now: number): number {
  return time === '' ? 0 : (now - Date.parse(`${time}Z`)) / DAY;
}
