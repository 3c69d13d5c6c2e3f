/** Sizes as people read them, in the browser's language. */

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'];

/** @returns `3.2 MB`, in French `3,2 Mo`; with `step` 1024 the size that a drive calls 15 GB is 15 GB */
export function sizeText(bytes: number, step: 1_000 | 1_024 = 1_000): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(step)));
  const format = new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: UNITS[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return format.format(bytes / step ** power);
}
