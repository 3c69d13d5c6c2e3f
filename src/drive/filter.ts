/**
 * Search criteria: the service filters by `q` as far as it can, and the rest is filtered here. Names: name-matcher.ts.
 */
import type { Capabilities } from '../capabilities';
import {
  mimeTypeStartsWith,
  mimeTypeEquals,
  mimeTypeNotEquals,
  modifiedBefore,
  modifiedSince,
  notTrashed,
} from './query';
import type { DriveFile, Service } from '../types';
import { sizeOf } from './checksums';
import { folderMimeType, isFolder } from './mime-types';
import { type NameMatch, createNameMatcher, effectiveMatch, nameTerms } from './name-matcher';

export interface SearchCriteria {
  /** Undefined for all folders. */
  folderId?: string;
  /** Only files that others shared, or starred ones. Google Drive only. */
  where?: 'sharedWithMe' | 'starred';
  /** An expression of the service's query language, in addition to the other criteria. Google Drive only. */
  query?: string;
  /** Compared with names; `''` matches every name. */
  text: string;
  /** The node's property that the text comes from, for errors. */
  textProperty?: string;
  /** `contains`, the default, is compared by the service; in a folder of Google Drive it is compared here. */
  match?: NameMatch;
  caseSensitive?: boolean;
  /** As in `NamePattern`. */
  inThread?: boolean;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  /** `image/png`, or `image/*`; `''` for any. */
  mimeType?: string;
  /** ms since 1970, inclusive. */
  modifiedAfter?: number;
  /** ms since 1970, exclusive. */
  modifiedBefore?: number;
  /** Bytes, inclusive. */
  minSize?: number;
  maxSize?: number;
}

interface SearchFilter {
  /** Terms of `q`. They exclude no match; `apply` filters the results. */
  terms: string[];
  /** Whether the terms match every folder, apart from those for the kind and the trash. */
  includesAllFolders: boolean;
  /** Fields that `apply` reads. */
  requiredFields: string[];
  apply: (files: DriveFile[]) => Promise<DriveFile[]>;
}

type Test = (file: DriveFile) => boolean;

/** One criterion. */
interface Criterion {
  terms?: string[];
  needed?: string[];
  test?: Test;
}

/** @throws `not_configured`, `invalid_input` */
export function searchFilter(service: Service, criteria: SearchCriteria): SearchFilter {
  const { can } = service;
  const more = fileCriteria(can, criteria);
  const parts = [kindCriterion(service, criteria), ...trashCriteria(can, criteria), ...more];
  const { text, textProperty: property, inThread } = criteria;
  const match = effectiveMatch(can, criteria.match, criteria.folderId);
  // As at the service.
  const isContains = (criteria.match ?? 'contains') === 'contains';
  const caseSensitive = !isContains && criteria.caseSensitive === true;
  const names =
    match === 'contains' || text === ''
      ? undefined
      : createNameMatcher({ match, text, caseSensitive, property, inThread });
  const named = nameTerms(can, match, text);
  const tests = parts.flatMap(({ test }) => test ?? []);
  return {
    terms: [...parts.flatMap(({ terms = [] }) => terms), ...named, ...queryTerms(criteria)],
    includesAllFolders:
      named.length === 0 && !criteria.query && more.every(({ terms = [] }) => terms.length === 0),
    requiredFields: [...parts.flatMap(({ needed = [] }) => needed), ...(names ? ['name'] : [])],
    async apply(files) {
      const fitting = tests.length === 0 ? files : files.filter((file) => tests.every((test) => test(file)));
      if (!names) return fitting;
      const matches = await names(fitting.map(({ name = '' }) => name));
      return fitting.filter((_file, index) => matches[index]);
    },
  };
}

function queryTerms({ where, query }: SearchCriteria): string[] {
  return [...(where ? [`${where}=true`] : []), ...(query ? [`(${query})`] : [])];
}

function kindCriterion(service: Service, { kind }: SearchCriteria): Criterion {
  if (kind === 'any') return {};
  if (kind === 'folders') return { terms: [mimeTypeEquals(folderMimeType(service))] };
  if (service.can.queries) return { terms: [mimeTypeNotEquals(folderMimeType(service))] };
  return { needed: ['mimeType'], test: ({ mimeType }) => !isFolder(service, mimeType) };
}

function trashCriteria(can: Capabilities, { includeTrashed }: SearchCriteria): Criterion[] {
  if (includeTrashed) return [];
  return [
    can.queries ? { terms: [notTrashed] } : { needed: ['trashed'], test: ({ trashed }) => trashed !== true },
  ];
}

/** Compared here too, since services may compare times and MIME types in other ways. */
function fileCriteria(can: Capabilities, criteria: SearchCriteria): Criterion[] {
  const { mimeType = '', modifiedAfter: after, modifiedBefore: before, minSize, maxSize } = criteria;
  const parts: Criterion[] = [];
  const add = (terms: string[], needed: string, test: Test): void => {
    parts.push({ terms: can.queries ? terms : [], needed: [needed], test });
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

function isOfType({ mimeType = '' }: DriveFile, criteria: string, prefix: string | undefined): boolean {
  const type = mimeType.toLowerCase();
  return prefix === undefined ? type === criteria : type.startsWith(prefix);
}

/** @returns NaN without a time */
export function modifiedAt({ modifiedTime = '' }: DriveFile): number {
  return Date.parse(modifiedTime);
}
