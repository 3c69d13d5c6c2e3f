/** Patterns of `include` that match one path, for what was ticked: docs/patterns.md. */

/** @param path of a file or folder in a backup. @returns the pattern that matches it and what it contains, and nothing else */
export function toIncludeLine(path: string): string {
  const escaped = path
    .replace(/[*?[\]{}\\]/g, (char) => `[${char}]`)
    // Spaces around a pattern are ignored, and line breaks separate patterns.
    .replace(/^ | $/g, '[ ]')
    .replace(/[\n\r]/g, '?');
  // Without a slash, a pattern matches names in every folder.
  return escaped.includes('/') ? escaped : `/${escaped}`;
}

/** @returns the path for which {@link toIncludeLine} makes the pattern, if there is one */
export function fromIncludeLine(line: string): string | undefined {
  const path = line.replace(/^\//, '').replace(/\[(.)\]/g, '$1');
  return path !== '' && toIncludeLine(path) === line ? path : undefined;
}
