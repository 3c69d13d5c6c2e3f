/** An archive on the drive: what its name and its metadata say about its number and its date. */
import { LocalTime } from '../errors';
import { type FoundDate, findDateInName } from './retention/date-in-name';
import type { Calendar } from './retention/calendar';
import { parseTimestamp, storedAt } from './retention/timestamp';
import { INCOMPLETE_SUFFIX, isIncompleteArchive } from './retention/incomplete-archive';
import type { DriveFile } from '../types';

/** A tar archive, compressed with gzip or not, encrypted with age or not. */
const EXTENSION = /\.(?:tar|tar\.gz|tgz)(?:\.age)?$/i;

/** A time of day that doesn't follow a date, as in `home-0042_02-30-00`. */
const TIME = /(?<!\d)(?:[01]\d|2[0-3])([-:_.])[0-5]\d\1[0-5]\d(?!\d)/g;

export interface ArchiveFile {
  file: DriveFile;
  /** The last group of digits in the name that belongs to no date or time; null without one. */
  number: number | null;
  /** ms since 1970: the first date in the name, otherwise when the file was created or modified; null if unknown. */
  time: number | null;
  /** ms since 1970: when the file was created or modified; null if unknown. */
  fileTime: number | null;
  /** ms since 1970, see {@link storedAt}; null if unknown. */
  storedAt: number | null;
  /** The name without extension, date, time and number, which the archives of one backup have in common. */
  series: string;
  /** Whether the name has a date without a time. */
  hasDayOnly: boolean;
  isComplete: boolean;
}

export function isArchiveName(name: string): boolean {
  return EXTENSION.test(name);
}

/** @returns the name without `.incomplete`, `.tar`, `.tar.gz`, `.tgz` and `.age` */
function stemOf(name: string): string {
  const stem = name.replace(EXTENSION, '');
  return isIncompleteArchive(name) ? stem.slice(0, -INCOMPLETE_SUFFIX.length) : stem;
}

/** @param latest ms since 1970; a later date in the name is the mistake of a clock, and doesn't count */
export function describeArchive(file: DriveFile, calendar: Calendar, latest = Infinity): ArchiveFile {
  const stem = stemOf(file.name ?? '');
  const found = findDateInName(stem);
  const fileTime = parseTimestamp(file.createdTime) ?? parseTimestamp(file.modifiedTime) ?? null;
  const named = timeOf(fileTime, found, calendar);
  return {
    file,
    fileTime,
    storedAt: storedAt(file) ?? null,
    time: named === null || named > latest ? fileTime : named,
    hasDayOnly: found?.hasTime === false,
    isComplete: !isIncompleteArchive(file.name ?? ''),
    ...numberIn(stem, found),
  };
}

/** @param time ms since 1970. @returns `2026-11-22` in this machine's time zone */
export function localDay(time: number): string {
  return String(new LocalTime(time)).slice(0, 10);
}

function numberIn(stem: string, date: FoundDate | undefined): Pick<ArchiveFile, 'number' | 'series'> {
  const mark = date?.hasTime ? '{time}' : '{date}';
  const undated = date ? stem.slice(0, date.start) + mark + stem.slice(date.end) : stem;
  const rest = undated.replace(TIME, '{time}');
  const [last] = /\d+(?=\D*$)/.exec(rest) ?? [];
  const series = rest.replace(/\d+(?=\D*$)/, '{number}');
  return { number: last === undefined ? null : Number(last), series };
}

/** A name with only a day is refined by the file's own time, so that several archives of a day are in order. */
function timeOf(own: number | null, found: FoundDate | undefined, calendar: Calendar): number | null {
  if (!found) return own;
  const { isUtc, ...wall } = found.date;
  if (isUtc) return Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
  const named = calendar.timeOf(wall);
  const isSameDay = own !== null && calendar.periodOf(own, 'day') === calendar.periodOf(named, 'day');
  return isSameDay && !found.hasTime ? own : named;
}
