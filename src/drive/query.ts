/**
 * Terms of `q`, the search query of `files.list`.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */

/** Escapes backslashes first, then single quotes. */
export function quote(value: string): string {
  return `'${value.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

export const inParents = (folderId: string): string => `${quote(folderId)} in parents`;
export const nameContains = (text: string): string => `name contains ${quote(text)}`;
export const nameEquals = (name: string): string => `name=${quote(name)}`;
export const mimeTypeEquals = (mimeType: string): string => `mimeType=${quote(mimeType)}`;
export const mimeTypeNotEquals = (mimeType: string): string => `mimeType!=${quote(mimeType)}`;
/** For MIME types, `contains` compares the beginning. */
export const mimeTypeStartsWith = (prefix: string): string => `mimeType contains ${quote(prefix)}`;
/** @param time ms since 1970 */
export const modifiedSince = (time: number): string => `modifiedTime>=${quote(new Date(time).toISOString())}`;
export const modifiedBefore = (time: number): string => `modifiedTime<${quote(new Date(time).toISOString())}`;
/** @param time ms since 1970 */
export const createdSince = (time: number): string => `createdTime>=${quote(new Date(time).toISOString())}`;
export const notTrashed = 'trashed=false';
export const isTrashed = 'trashed=true';

/** @returns `''` for no terms */
export function allOf(terms: readonly string[]): string {
  return terms.join(' and ');
}

export function anyOf(terms: readonly string[]): string {
  return terms.length === 1 ? terms.join() : `(${terms.join(' or ')})`;
}
