/**
 * Parses times that a user types: `2026-11-21`, `2026-11-21T02:00:00Z`, `30 days`. The editor uses it to validate them.
 */

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/**
 * @param text an ISO 8601 date or time, in local time unless it has an offset, or a duration
 * @param now milliseconds since 1970
 * @param direction whether a duration ends or starts now
 * @returns milliseconds since 1970; undefined for any other text
 */
export function parseTime(
  text: string,
  now: number,
  direction: 'before' | 'after' = 'before',
): number | undefined {
  const duration = /^(\d{1,6}(?:\.\d{1,3})?) *(minute|hour|day|week|month|year)s?$/i.exec(text);
  const sign = direction === 'before' ? 1 : -1;
  if (duration) return subtract(now, sign * Number(duration[1]), duration[2]?.toLowerCase() ?? '');
  const [date] = ISO.exec(text)?.slice(1) ?? [];
  if (date === undefined || !isOnCalendar(date)) return undefined;
  // `Date.parse` would take a date without a time as midnight UTC instead of local midnight.
  const time = Date.parse(text === date ? `${date}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(time) ? undefined : time;
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** `Date.parse` would take February 30 as March 2. */
function isOnCalendar(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

function subtract(now: number, count: number, unit: string): number | undefined {
  const ms = UNITS[unit];
  if (ms !== undefined) return now - count * ms;
  if (!Number.isInteger(count)) return undefined;
  const date = new Date(now);
  const day = date.getDate();
  date.setMonth(date.getMonth() - count * (unit === 'year' ? 12 : 1));
  // If the month has no such day, `setDate(0)` selects its last one.
  if (date.getDate() !== day) date.setDate(0);
  return date.getTime();
}
