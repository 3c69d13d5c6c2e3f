/** Numbers, sizes and durations as Node-RED's language writes them: `3,2 MB/s` in German, `3,2 Mo/s` in French. */
import type { Size } from '../../../src/index';

/** @param digits after the decimal point: at least, and at most */
export function localizeNumber(
  number: number,
  language: string,
  [least, most]: readonly [number, number],
): string {
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  return new Intl.NumberFormat(language, { ...digits, useGrouping: false }).format(number);
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
  return `${localizeNumber(rounded, language, [0, 1])} ${PREFIXES[power]}${byteSymbol(language)}`;
}

/** @returns megabytes with one decimal, such as `3.0 MB`: a text that changes often keeps its width */
export function localizeMegabytes(bytes: number, language: string): string {
  return `${localizeNumber(bytes / 1_000_000, language, [1, 1])} M${byteSymbol(language)}`;
}

const BINARY_PREFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti'];

/** @returns a size of an error with at most one decimal, such as `256.1 MiB`. Limits may be fractions of a MiB */
export function localizeBinarySize(
  { bytes, round }: Pick<Size, 'bytes' | 'round'>,
  language: string,
): string {
  const roundToInteger = round === 'up' ? Math.ceil : Math.floor;
  let number = roundToInteger(bytes);
  let power = 0;
  // By the rounded number: a size is never 1024 MiB.
  while (number >= 1_024 && power < BINARY_PREFIXES.length - 1) {
    power += 1;
    number = roundToInteger((bytes * 10) / 1_024 ** power) / 10;
  }
  return `${localizeNumber(number, language, [0, 1])} ${BINARY_PREFIXES[power]}${byteSymbol(language)}`;
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
