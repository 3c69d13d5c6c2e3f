/** The date in a file name: `backup-2026-11-21.tar`, `20261121T020000Z.zip`, `photo_2026.11.21_18-30.jpg`. */
import type { WallTime } from './calendar';

interface NamedDate extends WallTime {
  /** True if the time ends with Z. */
  isUtc: boolean;
}

/** Year, month and day with one separator or none, optionally followed by a time. */
const DATE =
  /(?<!\d)(\d{4})([-_.]?)(\d{2})\2(\d{2})(?:([T_ .-]{0,3})(\d{2})([-:_.h]?)(\d{2})(?:\7(\d{2}))?(?!\d)(?:\.\d{1,9}(?=Z))?(Z(?![A-Za-z]))?|(?!\d))/g;

/** A date and the range of the name that contains it. */
export interface FoundDate {
  date: NamedDate;
  /** False if the name has only a day. */
  hasTime: boolean;
  start: number;
  end: number;
}

/** @returns the first valid date in a name, midnight without a time, and where it is; undefined if there is none */
export function findDateInName(name: string): FoundDate | undefined {
  for (const match of name.matchAll(DATE)) {
    const [text, year, separator = '', month, day, gap = '', hour, colon, minute, second, zone] = match;
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    if (!isDate(date)) continue;
    const start = match.index;
    const time = { hour: Number(hour ?? 0), minute: Number(minute ?? 0), second: Number(second ?? 0) };
    // Digits that aren't a time, such as a backup's number, are ignored; so are four digits after a hyphen or dot.
    const mayBeNumber = colon === '' && second === undefined && /[.-]/.test(gap);
    if (hour === undefined || mayBeNumber || !isTime(time)) {
      const midnight = { ...date, hour: 0, minute: 0, second: 0, isUtc: false };
      return { date: midnight, hasTime: false, start, end: start + 8 + 2 * separator.length };
    }
    const found = { ...date, ...time, isUtc: zone === 'Z' };
    return { date: found, hasTime: true, start, end: start + text.length };
  }
  return undefined;
}

function isDate({ year, month, day }: Pick<WallTime, 'year' | 'month' | 'day'>): boolean {
  if (year < 1970 || month < 1 || month > 12) return false;
  return day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isTime({ hour, minute, second }: Pick<WallTime, 'hour' | 'minute' | 'second'>): boolean {
  return hour < 24 && minute < 60 && second < 60;
}
