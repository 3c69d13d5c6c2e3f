/**
 * Decides which backups to keep: the newest, the recent ones, and a number of daily, weekly, monthly and yearly ones
 * (grandfather-father-son). Pure. A file is kept if any rule keeps it, or if it has no date.
 * nodes/prune/prune.ts skips files that aren't backups; remove-expired.ts checks again before it removes anything.
 */
import type { DriveFile } from '../../types';
import { type Calendar, DAY, type Period } from './calendar';
import { findDateInName } from './date-in-name';
import { parseTimestamp } from './timestamp';

/** 0 disables a rule. */
export interface RetentionRules {
  keepNewest: number;
  /** Keeps files newer than this many times 24 hours. */
  keepDays: number;
  /** Keeps the newest file of each of the last days that have files; likewise for weeks, months and years. */
  daily: number;
  weekly: number;
  monthly: number;
  yearly: number;
  /** Always keeps at least this many. */
  minimum: number;
}

export type DateFrom = 'modifiedTime' | 'createdTime' | 'name';

export interface RetentionResult {
  /** Newest first, then files without a plausible date. */
  kept: DriveFile[];
  /** How many of the kept files count for the rules. They come first. */
  counted: number;
  /** Newest first. */
  removed: DriveFile[];
}

export interface FileDate {
  /** ms since 1970. */
  time: number;
  /** Whether only the day is known; `time` is its midnight. */
  isDay: boolean;
  /** Says which files are newer than others instead of the time: a higher one is newer. All files have it, or none. */
  order?: number | undefined;
  /** ms since 1970: the file isn't older than that, even if `time` says so. */
  notBefore?: number | undefined;
}

export interface RetentionOptions {
  /** A function returns undefined for a file without a date. */
  dateFrom: DateFrom | ((file: DriveFile) => FileDate | undefined);
  calendar: Calendar;
  /** Milliseconds since 1970. */
  now: number;
  /** A file that is kept and counts as the newest, whatever its date. */
  newestId?: string;
}

interface Dated extends FileDate {
  file: DriveFile;
  isNewest: boolean;
}

/** @returns whether any rule is set. `minimum` alone doesn't allow anything to be removed */
export function hasRule({ minimum: _minimum, ...rules }: RetentionRules): boolean {
  return Object.values(rules).some((count) => count > 0);
}

/**
 * Files dated more than a day ahead are kept and count for no rule: otherwise a single wrong clock would make one file
 * the newest for years. Without any rule, all files are kept.
 */
export function applyRetention(
  files: readonly DriveFile[],
  rules: RetentionRules,
  options: RetentionOptions,
): RetentionResult {
  if (!hasRule(rules)) return { kept: [...files], counted: files.length, removed: [] };
  const { now } = options;
  const { dated, undated } = byDate(files, options);
  const newest = Math.max(rules.keepNewest, rules.minimum);
  // Without an order of their own, the files are already sorted by time: another list of them would only take memory.
  const latestFirst = dated[0]?.order === undefined ? dated : [...dated].sort(byTime);
  const keep = new Set([
    ...dated.filter(({ isNewest }) => isNewest),
    ...dated.filter((each) => rules.keepDays > 0 && latestTime(each, options) > now - rules.keepDays * DAY),
    ...newestOfEach('day', rules.daily, latestFirst, options.calendar),
    ...newestOfEach('week', rules.weekly, latestFirst, options.calendar),
    ...newestOfEach('month', rules.monthly, latestFirst, options.calendar),
    ...newestOfEach('year', rules.yearly, latestFirst, options.calendar),
  ]);
  const kept: DriveFile[] = [];
  const removed: DriveFile[] = [];
  for (const [index, each] of dated.entries()) {
    (index < newest || keep.has(each) ? kept : removed).push(each.file);
  }
  const counted = kept.length;
  for (const file of undated) kept.push(file);
  return { kept, counted, removed };
}

/**
 * A list that changes while its pages are read may contain a file twice, with different dates. The latest date counts;
 * otherwise the file could be both kept and removed.
 */
function byDate(
  files: readonly DriveFile[],
  options: RetentionOptions,
): { dated: Dated[]; undated: DriveFile[] } {
  const { newestId } = options;
  const dated: Dated[] = [];
  const undated = new Map<string, DriveFile>();
  for (const file of files) {
    const date = dateOf(file, options);
    if (!date || date.time > options.now + DAY) undated.set(file.id, file);
    else {
      // One by one: `{ ...date }` takes three times the memory in Node 18 and 20.
      const { time, isDay, order, notBefore } = date;
      dated.push({ time, isDay, order, notBefore, file, isNewest: file.id === newestId });
    }
  }
  const seen = new Set(undated.keys());
  const unique = dated.sort(newestFirst).filter(({ file: { id } }) => {
    const isDuplicate = seen.has(id);
    seen.add(id);
    return !isDuplicate;
  });
  return { dated: unique, undated: [...undated.values()] };
}

/** @returns undefined without a date */
function dateOf(file: DriveFile, { dateFrom, calendar }: RetentionOptions): FileDate | undefined {
  if (typeof dateFrom === 'function') return dateFrom(file);
  if (dateFrom !== 'name') {
    const time = parseTimestamp(file[dateFrom]);
    return time === undefined ? undefined : { time, isDay: false };
  }
  const found = findDateInName(file.name ?? '');
  if (!found) return undefined;
  const { year, month, day, hour, minute, second, isUtc } = found.date;
  const time = isUtc ? Date.UTC(year, month - 1, day, hour, minute, second) : calendar.timeOf(found.date);
  return { time, isDay: !found.hasTime };
}

/** A file dated with a day may be from any time of it, so that its age counts from the end of the day. */
function latestTime({ time, isDay, notBefore = time }: FileDate, { calendar }: RetentionOptions): number {
  if (!isDay) return Math.max(time, notBefore);
  const wall = calendar.wallTimeOf(time);
  const end = calendar.timeOf({ ...wall, day: wall.day + 1, hour: 0, minute: 0, second: 0 });
  return Math.max(end, notBefore);
}

function newestFirst(a: Dated, b: Dated): number {
  if (a.isNewest !== b.isNewest) return a.isNewest ? -1 : 1;
  return compare(b.order ?? b.time, a.order ?? a.time) || byTime(a, b);
}

/** Files of the same time are in their order, then in that of their creation; name and id make the order definite. */
function byTime(a: Dated, b: Dated): number {
  if (a.isNewest !== b.isNewest) return a.isNewest ? -1 : 1;
  return (
    compare(b.time, a.time) ||
    compare(b.order ?? 0, a.order ?? 0) ||
    compare(createdAt(b), createdAt(a)) ||
    compare(b.file.name ?? '', a.file.name ?? '') ||
    compare(b.file.id, a.file.id)
  );
}

function createdAt({ file }: Dated): number {
  return parseTimestamp(file.createdTime) ?? -Infinity;
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param dated latest first */
function newestOfEach(period: Period, count: number, dated: readonly Dated[], calendar: Calendar): Dated[] {
  const found = new Map<number, Dated>();
  for (const each of dated) {
    if (found.size >= count) break;
    const current = calendar.periodOf(each.time, period);
    if (!found.has(current)) found.set(current, each);
  }
  return [...found.values()];
}
