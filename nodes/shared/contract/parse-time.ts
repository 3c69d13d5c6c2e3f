/**
 * Times as a person writes them into a dialog: `2026-11-21`, `2026-11-21T02:00:00Z`, `30 days`. Read by the runtime, and
 * checked by the editor.
 */

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/**
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970: of an ISO 8601 date (midnight here) or time (here, unless it names a zone), or of as
 * long ago as the text says; undefined for anything else
 */
export function parseTime(text: string, now: number): number | undefined {
  const ago = /^(\d{1,6}(?:\.\d{1,3})?) *(minute|hour|day|week|month|year)s?$/i.exec(text);
  if (ago) return before(now, Number(ago[1]), ago[2]?.toLowerCase() ?? '');
  const [date] = ISO.exec(text)?.slice(1) ?? [];
  if (date === undefined || !isOnCalendar(date)) return undefined;
  // A date alone would be midnight in UTC.
  const time = Date.parse(text === date ? `${date}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(time) ? undefined : time;
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** `Date.parse` takes the 30th of February for the 2nd of March. */
function isOnCalendar(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

function before(now: number, count: number, unit: string): number | undefined {
  const ms = UNITS[unit];
  if (ms !== undefined) return now - count * ms;
  if (!Number.isInteger(count)) return undefined;
  const date = new Date(now);
  const day = date.getDate();
  date.setMonth(date.getMonth() - count * (unit === 'year' ? 12 : 1));
  // A month without that day: its last one.
  if (date.getDate() !== day) date.setDate(0);
  return date.getTime();
}
