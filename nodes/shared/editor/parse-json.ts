/** Parses JSON that a user pasted. */

/** @returns undefined if the text isn't JSON */
export function parseJson(text: string): unknown {
  try {
    // Some Windows editors write a byte order mark at the start of a file.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}
