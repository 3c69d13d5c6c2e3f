/** Formats sizes and times in the browser's language. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];

/**
 * @param base 1,000 for file sizes as browsers show them; 1,024 for storage quotas, where 15 GB means 15 · 1024³ bytes
 * @returns such as `3.2 MB`, in French `3,2 Mo`
 */
export function formatSize(bytes: number, base: 1_000 | 1_024 = 1_000): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(base)));
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return format.format(bytes / base ** power);
}

const STYLES = {
  day: { dateStyle: 'medium' },
  minute: { dateStyle: 'medium', timeStyle: 'short' },
  /** As in a sentence. */
  long: { dateStyle: 'long', timeStyle: 'short' },
  /** With the zone. */
  full: { dateStyle: 'full', timeStyle: 'long' },
} as const;

/** In the browser's time zone by default. @param time RFC 3339. @returns `''` for an invalid time */
export function formatTime(time: string, style: keyof typeof STYLES, timeZone?: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleString(undefined, { ...STYLES[style], timeZone });
}
