/** Formats times in the browser's language and, by default, its time zone. */

const STYLES = {
  day: { dateStyle: 'medium' },
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  /** As in a sentence. */
  long: { dateStyle: 'long', timeStyle: 'short' },
  /** With the zone. */
  full: { dateStyle: 'full', timeStyle: 'long' },
} as const;

/** @param time RFC 3339. @returns `''` for an invalid time */
export function formatTime(time: string, style: keyof typeof STYLES, timeZone?: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(undefined, { ...STYLES[style], timeZone });
}
