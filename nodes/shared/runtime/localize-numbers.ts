/** Writes numbers and sizes as Node-RED's language does: `3,2 MB/s` in German, `3,2 Mo/s` in French. */

/**
 * @param text with numbers that have a decimal point and sizes in B, and without other text that looks like these
 * @param language BCP 47
 */
export function localizeNumbers(text: string, language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  const separator = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  return text
    .replace(/(\d)\.(\d)/g, `$1${separator}$2`)
    .replace(/(\d [kKMGTP]?i?)B\b/g, `$1${byteSymbol(language)}`);
}

/** French uses `o` (octet). Taken from the unit of a megabyte, because some languages spell out the unit of a byte. */
function byteSymbol(language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
  const unit = format.formatToParts(1).find(({ type }) => type === 'unit');
  return unit?.value.slice(1) ?? 'B';
}

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P'];

/** @returns a file size as browsers show it, such as `3.2 MB`, in French `3,2 Mo` */
export function localizeSize(bytes: number, language: string): string {
  const power = bytes < 1 ? 0 : Math.min(PREFIXES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const rounded = Math.round((bytes / 1_000 ** power) * 10) / 10;
  return localizeNumbers(`${rounded} ${PREFIXES[power]}B`, language);
}

/** @returns a rounded duration such as `4 min` */
export function localizeDuration(seconds: number, language: string): string {
  const [unit, length] = seconds < 60 ? ['second', 1] : seconds < 5_400 ? ['minute', 60] : ['hour', 3_600];
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: String(unit),
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  });
  return format.format(seconds / Number(length));
}

/** A size as formatted by `src`. */
export const SIZE_PATTERN = /^\d+\.\d (?:B|[KMGT]iB)$/;
