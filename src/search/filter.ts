/** What a search looks for: as far as the service can decide it in `q`, the rest, and all that is not sure, here. */
import {
  mimeTypeStartsWith,
  mimeTypeEquals,
  mimeTypeNotEquals,
  modifiedBefore,
  modifiedSince,
  nameContains,
  nameEquals,
  notTrashed,
} from '../api/query';
import type { DriveFile, Service } from '../types';
import { sizeOf } from '../api/checksums';
import { folderMimeType, isFolder } from '../api/drive-context';
import { type MatchMode, createNameMatcher } from './name-matcher';

export interface SearchCriteria {
  /** What names are compared with; `''` is every name. */
  text: string;
  /** `contains`, the default, is the service's own comparison. */
  match?: 'contains' | MatchMode;
  caseSensitive?: boolean;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  /** `image/png`, or `image/*` for all of that kind; `''` for any. */
  mimeType?: string;
  /** Milliseconds since 1970: from that time on. */
  modifiedAfter?: number;
  /** Milliseconds since 1970: earlier than that. */
  modifiedBefore?: number;
  /** Bytes, both included. */
  minSize?: number;
  maxSize?: number;
}

export interface SearchFilter {
  /** For `q`. What they leave out is surely not wanted; `select` looks at all of the rest. */
  terms: string[];
  /** Whether the terms but for those of the kind and the trash let every folder through. */
  includesAllFolders: boolean;
  /** Fields that `select` looks at. */
  requiredFields: string[];
  apply: (files: DriveFile[]) => DriveFile[];
}

type Test = (file: DriveFile) => boolean;

/** A part of what is wanted. */
interface Part {
  terms?: string[];
  needed?: string[];
  test?: Test;
}

/** @throws `not_configured`, `invalid_input` */
export function searchFilter(service: Service, wanted: SearchCriteria): SearchFilter {
  const isGoogle = service.kind === 'google';
  const more = conditions(isGoogle, wanted);
  const parts = [kindPart(service, wanted), ...trashParts(isGoogle, wanted), ...more];
  const { match = 'contains', text, caseSensitive = false } = wanted;
  const names =
    match === 'contains' || text === '' ? undefined : createNameMatcher({ match, text, caseSensitive });
  const named = nameTerms(isGoogle, match, text);
  const tests = parts.flatMap(({ test }) => test ?? []);
  return {
    terms: [...parts.flatMap(({ terms = [] }) => terms), ...named],
    includesAllFolders: named.length === 0 && more.every(({ terms = [] }) => terms.length === 0),
    requiredFields: [...parts.flatMap(({ needed = [] }) => needed), ...(names ? ['name'] : [])],
    apply(files) {
      const fitting = tests.length === 0 ? files : files.filter((file) => tests.every((test) => test(file)));
      if (!names) return fitting;
      const matches = names(fitting.map(({ name = '' }) => name));
      return fitting.filter((_file, index) => matches[index]);
    },
  };
}

function kindPart(service: Service, { kind }: SearchCriteria): Part {
  if (kind === 'any') return {};
  if (kind === 'folders') return { terms: [mimeTypeEquals(folderMimeType(service))] };
  if (service.kind === 'google') return { terms: [mimeTypeNotEquals(folderMimeType(service))] };
  return { needed: ['mimeType'], test: ({ mimeType }) => !isFolder(service, mimeType) };
}

function trashParts(isGoogle: boolean, { includeTrashed }: SearchCriteria): Part[] {
  if (includeTrashed) return [];
  return [
    isGoogle ? { terms: [notTrashed] } : { needed: ['trashed'], test: ({ trashed }) => trashed !== true },
  ];
}

/** The service's comparisons of times and media types are its own affair: what it finds is looked at again. */
function conditions(isGoogle: boolean, wanted: SearchCriteria): Part[] {
  const { mimeType = '', modifiedAfter: after, modifiedBefore: before, minSize, maxSize } = wanted;
  const parts: Part[] = [];
  const add = (terms: string[], needed: string, test: Test): void => {
    parts.push({ terms: isGoogle ? terms : [], needed: [needed], test });
  };
  if (mimeType !== '') {
    const prefix = mimeType.endsWith('*') ? mimeType.slice(0, -1).toLowerCase() : undefined;
    const term = prefix === undefined ? mimeTypeEquals(mimeType) : mimeTypeStartsWith(prefix);
    add(prefix === '' ? [] : [term], 'mimeType', (file) => isOfType(file, mimeType.toLowerCase(), prefix));
  }
  if (after !== undefined) add([modifiedSince(after)], 'modifiedTime', (file) => modifiedAt(file) >= after);
  if (before !== undefined)
    add([modifiedBefore(before)], 'modifiedTime', (file) => modifiedAt(file) < before);
  if (minSize !== undefined) add([], 'size', (file) => (sizeOf(file) ?? NaN) >= minSize);
  if (maxSize !== undefined) add([], 'size', (file) => (sizeOf(file) ?? NaN) <= maxSize);
  return parts;
}

function isOfType({ mimeType = '' }: DriveFile, wanted: string, prefix: string | undefined): boolean {
  const type = mimeType.toLowerCase();
  return prefix === undefined ? type === wanted : type.startsWith(prefix);
}

/** @returns NaN where the service doesn't say */
function modifiedAt({ modifiedTime = '' }: DriveFile): number {
  return Date.parse(modifiedTime);
}

/**
 * The service's comparison of names loses hits for all but these: it finds only beginnings of words, and of the
 * spellings of one name only the one that was asked for.
 */
function nameTerms(isGoogle: boolean, match: SearchCriteria['match'], text: string): string[] {
  if (text === '') return [];
  if (match === 'contains') return [nameContains(text)];
  const hasOneSpelling = /^[\x20-\x7e]*$/.test(text);
  return match === 'exact' && isGoogle && hasOneSpelling ? [nameEquals(text)] : [];
}
