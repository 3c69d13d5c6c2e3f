/** Names that are equal for many disks, and numbers for a name that is in use: `name (1).ext`. */

/**
 * @returns what is equal for names that differ only in case or in the form of Unicode: many disks take them for one,
 *   and so do searches
 */
export function foldName(name: string): string {
  // Upper case, then lower case: ß, ſ and the Kelvin sign have a common form in one of them only.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * @param number 0 for the name itself
 * @returns the name with the number before its extension
 */
export function numberedName(name: string, number: number): string {
  if (number === 0) return name;
  const { stem, extension } = splitName(name);
  return `${stem} (${number})${extension}`;
}

/** @returns the name without its numbers */
export function withoutNumber(name: string): string {
  const { stem, extension } = splitName(name);
  return stem.replace(/(?: \(\d+\))+$/, '') + extension;
}

/** Splits at the last dot. A name that starts with its only dot has no extension. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return { stem: name, extension: '' };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}
