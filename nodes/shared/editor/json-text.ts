/** JSON as people paste it. */

/** @returns the value, undefined where the text is no JSON */
export function parsedJson(text: string): unknown {
  try {
    // Editors on Windows put a byte order mark in front of a file.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
