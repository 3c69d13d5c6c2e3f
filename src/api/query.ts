/**
 * Search terms for `files.list`.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */

/** Quotes a value for `q`: the backslash first, then the single quote. */
export function quote(value: string): string {
  return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

export const inParents = (folderId: string): string => `${quote(folderId)} in parents`;
export const nameContains = (text: string): string => `name contains ${quote(text)}`;
export const nameEquals = (name: string): string => `name=${quote(name)}`;
export const mimeTypeEquals = (mimeType: string): string => `mimeType=${quote(mimeType)}`;
export const mimeTypeNotEquals = (mimeType: string): string => `mimeType!=${quote(mimeType)}`;
/** `contains` of a media type is its beginning. */
export const mimeTypeContains = (prefix: string): string => `mimeType contains ${quote(prefix)}`;
/** @param time milliseconds since 1970 */
export const modifiedSince = (time: number): string => `modifiedTime>=${quote(new Date(time).toISOString())}`;
export const modifiedBefore = (time: number): string => `modifiedTime<${quote(new Date(time).toISOString())}`;
export const notTrashed = 'trashed=false';
export const isTrashed = 'trashed=true';

/** Joins terms with the word `and`; `''` where there are none. */
export function allOf(terms: readonly string[]): string {
  return terms.join(' and ');
}

/** Joins terms of which one must hold. */
export function anyOf(terms: readonly string[]): string {
  return terms.length === 1 ? terms.join() : `(${terms.join(' or ')})`;
}
