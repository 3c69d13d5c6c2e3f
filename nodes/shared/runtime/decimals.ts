/** Numbers in what the runtime says, as Node-RED's language writes them: `3,2 MB/s` in German. */

/**
 * @param text whose numbers have a decimal point, and in which nothing else looks like one
 * @param language BCP 47
 */
export function withDecimals(text: string, language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  const mark = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  return text.replace(/(\d)\.(\d)/g, `$1${mark}$2`);
}

/** A size as an error of `src` carries it. */
export const SIZE = /^\d+\.\d (?:B|KiB|MiB)$/;
