/**
 * Terms of `q`, the search query of `files.list`. Names are compared here, in NFC: the service compares without Unicode
 * normalization, and a custom service supports only `name contains` (docs/signing-in.md).
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import { rootId } from './drive-context';
import { folderMimeType } from './mime-types';
import { SHORTCUT_TYPE } from './shortcuts';
import type { NameInFolder, Service } from '../types';

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
export const notTrashed = 'trashed=false';
export const isTrashed = 'trashed=true';

/** @returns `''` for no terms */
export function allOf(terms: readonly string[]): string {
  return terms.join(' and ');
}

export function anyOf(terms: readonly string[]): string {
  return terms.length === 1 ? terms.join() : `(${terms.join(' or ')})`;
}

export interface NameQuery {
  /** Matches any of them. */
  names: readonly string[];
  /** `''` for the root. */
  folderId: string;
  kind: 'files' | 'folders' | 'any';
  fields: string;
  /** With the kind `folders`: also finds shortcuts. */
  withShortcuts?: boolean;
  /** Finds only trashed files; by default only others. */
  trashed?: boolean;
}

/** Terms of `q` that match at least the files of the query. */
export function nameQueryTerms(service: Service, query: NameQuery): string[] {
  const { names, folderId, kind, trashed } = query;
  const parent = inParents(folderId || rootId(service));
  const isFolder = kind === 'folders' ? [isFolderTerm(service, query.withShortcuts)] : [];
  if (!service.can.queries) return [parent, ...isFolder, ...commonPrefix(names).map(nameContains)];
  const isFile = kind === 'files' ? [mimeTypeNotEquals(folderMimeType(service))] : [];
  const forms = new Set(names.flatMap(unicodeForms));
  return [
    parent,
    ...isFolder,
    ...isFile,
    anyOf([...forms].map(nameEquals)),
    trashed ? isTrashed : notTrashed,
  ];
}

/** @param withShortcuts also matches shortcuts, which a custom service doesn't have */
function isFolderTerm(service: Service, withShortcuts = false): string {
  const types = withShortcuts && service.can.shortcuts ? [SHORTCUT_TYPE] : [];
  return anyOf([folderMimeType(service), ...types].map(mimeTypeEquals));
}

/**
 * Bytes of a URL for names. Some servers limit the request line and all headers to 8 kB. A character that isn't ASCII
 * takes six or nine bytes there.
 */
const MAX_NAMES_LENGTH = 4_000;

/** @returns how many of the names, from the first one, fit into one query; at least one */
export function countNamesInOneQuery({ can }: Service, names: readonly string[]): number {
  if (!can.queries) return names.length;
  let length = 0;
  const firstExcess = names.findIndex((name) => {
    const q = unicodeForms(name).map(nameEquals).join(' or ');
    length += new URLSearchParams({ q }).toString().length;
    return length > MAX_NAMES_LENGTH;
  });
  return firstExcess < 0 ? names.length : Math.max(1, firstExcess);
}

export function toNFC(name: string): string {
  return name.normalize('NFC');
}

/** @returns a key of maps, the same for all Unicode forms of the name */
export function nameKey({ folderId, name }: NameInFolder): string {
  return JSON.stringify([folderId, toNFC(name)]);
}

/** @returns the name as it is, in NFC and in NFD */
export function unicodeForms(name: string): string[] {
  return [...new Set([name, toNFC(name), name.normalize('NFD')])];
}

/** @returns the common prefix of the names as a list of at most one; empty if its Unicode forms differ */
function commonPrefix(names: readonly string[]): string[] {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const other of others) {
    while (!other.startsWith(first.slice(0, length))) length -= 1;
  }
  const prefix = first.slice(0, length);
  return prefix !== '' && unicodeForms(prefix).length === 1 ? [prefix] : [];
}
