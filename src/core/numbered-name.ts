/** Numbers a name that is in use: `name (1).ext`. */

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
