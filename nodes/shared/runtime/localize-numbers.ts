/** Numbers in what the runtime says, as Node-RED's language writes them: `3,2 MB/s` in German, `3,2 Mo/s` in French. */

/**
 * @param text whose numbers have a decimal point and whose sizes are in B, and in which nothing else looks like one
 * @param language BCP 47
 */
export function localizeNumbers(text: string, language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(0.5);
  const mark = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  return text.replace(/(\d)\.(\d)/g, `$1${mark}$2`).replace(/(\d [KM]?i?)B\b/g, `$1${byteIn(language)}`);
}

/** What stands for a byte: octets are counted in French. Of a megabyte, as a byte is written out in some languages. */
function byteIn(language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte' });
  return (
    format
      .formatToParts(1)
      .find(({ type }) => type === 'unit')
      ?.value.slice(1) ?? 'B'
  );
}

/** A size as an error of `src` carries it. */
export const SIZE_PATTERN = /^\d+\.\d (?:B|KiB|MiB)$/;
