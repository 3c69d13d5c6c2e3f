/**
 * Which of many backups stay: the newest, the young ones, and so many of each day, week, month and year (grandfather,
 * father, son). Pure. What any rule keeps stays; nothing is removed that could not be dated.
 */
import type { DriveFile } from '../types';
import type { Calendar, Period } from './calendar';
import { parseDateInName } from './date-in-name';

/** Each 0 where it doesn't count. */
export interface RetentionRules {
  keepNewest: number;
  /** Those younger than so many times 24 hours. */
  keepDays: number;
  /** Of the last so many days that have a file, the newest of each; weeks, months and years alike. */
  daily: number;
  weekly: number;
  monthly: number;
  yearly: number;
  /** So many stay in any case. */
  minimum: number;
}

export type DateFrom = 'modifiedTime' | 'createdTime' | 'name';

export interface RetentionResult {
  /** Newest first; behind them those without a date that makes sense. */
  kept: DriveFile[];
  /** Newest first. */
  removed: DriveFile[];
}

export interface RetentionOptions {
  dateFrom: DateFrom;
  calendar: Calendar;
  /** Milliseconds since 1970. */
  now: number;
}

interface Dated {
  file: DriveFile;
  time: number;
}

const DAY = 86_400_000;

/** @returns whether there is a rule that says what may go; `minimum` alone says only what may not */
export function hasRule({ minimum: _minimum, ...rules }: RetentionRules): boolean {
  return Object.values(rules).some((count) => count > 0);
}

/**
 * Files dated more than a day ahead stay, and count for no rule: one clock that was wrong once must not make a file the
 * newest for years, and all others go for it. Without any rule everything stays.
 */
export function applyRetention(
  files: readonly DriveFile[],
  rules: RetentionRules,
  options: RetentionOptions,
): RetentionResult {
  if (!hasRule(rules)) return { kept: [...files], removed: [] };
  const { now } = options;
  const { dated, undated } = byDate(files, options);
  const stays = new Set([
    ...dated.slice(0, Math.max(rules.keepNewest, rules.minimum)),
    ...dated.filter(({ time }) => time > now - rules.keepDays * DAY && rules.keepDays > 0),
    ...newestOfEach('day', rules.daily, dated, options.calendar),
    ...newestOfEach('week', rules.weekly, dated, options.calendar),
    ...newestOfEach('month', rules.monthly, dated, options.calendar),
    ...newestOfEach('year', rules.yearly, dated, options.calendar),
  ]);
  const kept = dated.filter((each) => stays.has(each)).map(({ file }) => file);
  const removed = dated.filter((each) => !stays.has(each)).map(({ file }) => file);
  return { kept: [...kept, ...undated], removed };
}

/**
 * A list that changes while it is read may hold a file twice, each time as it was then: it counts once, by its latest
 * date, or it would be kept as the one and removed as the other.
 */
function byDate(
  files: readonly DriveFile[],
  options: RetentionOptions,
): { dated: Dated[]; undated: DriveFile[] } {
  const dated: Dated[] = [];
  const undated = new Map<string, DriveFile>();
  for (const file of files) {
    const time = timeOf(file, options);
    if (time === undefined || time > options.now + DAY) undated.set(file.id, file);
    else dated.push({ file, time });
  }
  const seen = new Set(undated.keys());
  const once = dated.sort(newestFirst).filter(({ file: { id } }) => seen.size < seen.add(id).size);
  return { dated: once, undated: [...undated.values()] };
}

/** @returns milliseconds since 1970, undefined where the file doesn't tell */
function timeOf(file: DriveFile, { dateFrom, calendar }: RetentionOptions): number | undefined {
  if (dateFrom !== 'name') {
    const time = Date.parse(file[dateFrom] ?? '');
    return Number.isNaN(time) ? undefined : time;
  }
  const date = parseDateInName(file.name ?? '');
  if (!date) return undefined;
  const { year, month, day, hour, minute, second, isUtc } = date;
  return isUtc ? Date.UTC(year, month - 1, day, hour, minute, second) : calendar.timeOf(date);
}

/** Of the same time, the name and then the id decide, so that the same files stay each time. */
function newestFirst(a: Dated, b: Dated): number {
  return b.time - a.time || compare(b.file.name ?? '', a.file.name ?? '') || compare(b.file.id, a.file.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param dated newest first */
function newestOfEach(period: Period, count: number, dated: readonly Dated[], calendar: Calendar): Dated[] {
  const found: Dated[] = [];
  let last: number | undefined;
  for (const each of dated) {
    if (found.length >= count) break;
    const current = calendar.periodOf(each.time, period);
    if (current !== last) found.push(each);
    last = current;
  }
  return found;
}
