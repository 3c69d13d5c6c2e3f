/**
 * Files or folders of a folder, of all folders in it, or of the whole drive. The Google preset asks the service for all
 * that it can filter; a custom service gets only the queries in docs/signing-in.md, and the rest is filtered here.
 * How names are matched, such as `backup-2042` by `42`: name-matcher.ts.
 */
import { DriveError, isDriveError } from '../errors';
import { allOf, inParents } from './query';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, isOutside } from './drive-context';
import { fieldProjector, withFields } from './fields';
import { type FileList, RecentFiles, listPages, type ListedPage, listPage } from './list';
import { findTargetId } from './shortcuts';
import { type SearchCriteria, modifiedAt, searchFilter } from './filter';
import { walkTree } from './walk-tree';
import { sizeOf } from './checksums';

export interface SearchRequest extends SearchCriteria {
  /** Includes subfolders. Ignored without `folderId`. */
  recursive?: boolean;
  /** With `recursive`: 1 for the folder itself, 2 for its subfolders too …; 0 for no limit. */
  maxDepth?: number;
  fields: string;
  /** As in `files.list`. Ignored with `sort`. */
  orderBy?: string;
  sort?: SortOrder;
  /** With `sort`: yields one file more, if there are more; undefined for all. */
  limit?: number;
}

/**
 * A shortcut to a folder stands for the folder. A folder in which nothing was found may be one, which is requested
 * once.
 * @throws `not_found` for a shortcut to a folder that doesn't exist, `not_configured` for folders of a custom service
 *   without a folder MIME type, `invalid_input` for a name pattern that is invalid or takes too long
 */
export async function* searchFiles(
  drive: DriveContext,
  search: SearchRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const { folderId, where, query } = search;
  const anyDrive = where === 'sharedWithMe' || isOutside(drive, folderId);
  let isEmpty = true;
  try {
    const options = { ...call, showsServiceMessage: Boolean(query) };
    for await (const page of searchFolder(drive, { ...search, anyDrive }, options)) {
      isEmpty &&= page.files.length === 0;
      yield page;
    }
  } catch (error) {
    throw query ? refusedQuery(error, query) : error;
  }
  const target = isEmpty && folderId !== undefined ? await findTargetId(drive, folderId, call) : undefined;
  if (target === undefined) return;
  yield* searchFolder(drive, { ...search, folderId: target, anyDrive: true }, call);
}

/** A 400 is about the user's query, unless the service names another parameter. */
function refusedQuery(error: unknown, query: string): unknown {
  if (!isDriveError(error) || error.status !== 400) return error;
  const { status, reason, parameter = 'q', serviceMessage } = error;
  if (parameter !== 'q') return error;
  const params = { query, reason: reason ?? '-' };
  const text = 'invalid_input_query_refused';
  return new DriveError('invalid_input', { text, params, status, reason, serviceMessage });
}

interface FolderSearch extends SearchRequest {
  /** As in `ListRequest`. */
  anyDrive?: boolean;
}

async function* searchFolder(
  drive: DriveContext,
  search: FolderSearch,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const filter = searchFilter(drive.service, search);
  const { sort, limit } = search;
  const isRecursive = search.recursive === true && search.folderId !== undefined;
  const serviceOrder = sort && !isRecursive ? orderByFor(drive.service, sort) : undefined;
  const orderBy = sort ? serviceOrder : search.orderBy;
  const required = ['id', ...filter.requiredFields, ...(sort && !serviceOrder ? SORT_FIELDS : [])];
  const request = { fields: withFields(search.fields, required), orderBy, anyDrive: search.anyDrive };
  const isAsListed = request.fields === search.fields && !isRecursive;
  const project = fieldProjector(search.fields);
  const found = applyFilter(isRecursive ? listTree() : listFlat(), filter.apply);
  for await (const page of sort && !serviceOrder ? sortPages(found, sort, limit) : found) {
    yield isAsListed ? page : { ...page, files: page.files.map(project) };
  }

  function listTree(): AsyncGenerator<FileList> {
    const { folderId = '', maxDepth = 0, kind, includeTrashed } = search;
    const walked = { ...request, ...filter, folderId, maxDepth, kind, includeTrashed };
    return withoutRepeated(walkTree(drive, walked, call));
  }

  function listFlat(): AsyncGenerator<FileList> {
    const parent = search.folderId === undefined ? [] : [inParents(search.folderId)];
    return listPages(drive, { ...request, q: allOf([...parent, ...filter.terms]) }, call);
  }
}

/** A file may be in several folders, or be moved while they are listed. */
async function* withoutRepeated(list: AsyncIterable<FileList>): AsyncGenerator<FileList> {
  const recent = new RecentFiles();
  for await (const page of list) yield { ...page, files: recent.withoutRepeated(page.files) };
}

async function* applyFilter(
  list: AsyncIterable<FileList>,
  filter: (files: DriveFile[]) => Promise<DriveFile[]>,
): AsyncGenerator<FileList> {
  for await (const page of list) yield { ...page, files: await filter(page.files) };
}

export type SortOrder = 'newest' | 'oldest' | 'name' | 'largest';

const SORT_FIELDS = ['id', 'name', 'modifiedTime', 'size'] as const;

/**
 * @returns `orderBy`; undefined for orders that the service lacks: a custom service supports none, and Google's
 * `quotaBytesUsed` includes old revisions
 */
export function orderByFor({ can }: Service, sort: SortOrder): string | undefined {
  if (!can.orderBy) return undefined;
  return { newest: 'modifiedTime desc', oldest: 'modifiedTime', name: 'name_natural', largest: undefined }[
    sort
  ];
}

const PAGE_SIZE = 1_000;

/**
 * Compares numbers in names as numbers, independent of the system's language. Created on first use, since it takes a
 * tenth of the package's load time.
 */
let nameCollator: Intl.Collator | undefined;

const COMPARE: Readonly<Record<SortOrder, (a: DriveFile, b: DriveFile) => number>> = {
  // Files without a time count as the oldest.
  newest: (a, b) => (modifiedAt(b) || 0) - (modifiedAt(a) || 0),
  oldest: (a, b) => (modifiedAt(a) || 0) - (modifiedAt(b) || 0),
  largest: (a, b) => (sizeOf(b) ?? 0) - (sizeOf(a) ?? 0),
  name: () => 0,
};

/**
 * Keeps at most about twice `limit` files in memory.
 * @param limit yields one file more, if there are more, so that callers know; undefined for all
 */
export async function* sortPages(
  pages: AsyncIterable<FileList>,
  sort: SortOrder,
  limit?: number,
): AsyncGenerator<FileList> {
  const maxFiles = limit === undefined ? Infinity : limit + 1;
  let files: DriveFile[] = [];
  let incompleteSearch = false;
  const sortAndTrim = (): void => {
    files.sort((a, b) => COMPARE[sort](a, b) || byName(a, b));
    files = files.slice(0, maxFiles);
  };
  for await (const page of pages) {
    incompleteSearch ||= page.incompleteSearch;
    for (const file of page.files) files.push(file);
    if (files.length > 2 * maxFiles) sortAndTrim();
  }
  sortAndTrim();
  for (let start = 0; start === 0 || start < files.length; start += PAGE_SIZE) {
    yield { files: files.slice(start, start + PAGE_SIZE), incompleteSearch };
  }
}

function byName(a: DriveFile, b: DriveFile): number {
  nameCollator ??= new Intl.Collator('en', { numeric: true });
  return nameCollator.compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
}

export interface SearchPageRequest extends SearchCriteria {
  /** A shared drive instead of the account's drive. */
  driveId?: string;
  fields: string;
  orderBy?: string;
  /** From the previous page; undefined for the first page. */
  pageToken?: string;
  /** Ignored by a custom service. */
  pageSize: number;
}

/** @returns the matches of one page, which may be empty although there is a next page */
export async function searchPage(
  drive: DriveContext,
  request: SearchPageRequest,
  call: CallOptions,
): Promise<ListedPage> {
  const { folderId, where, driveId, fields, orderBy, pageToken, pageSize } = request;
  const filter = searchFilter(drive.service, request);
  const parent = folderId === undefined ? [] : [inParents(folderId)];
  const q = allOf([...parent, ...filter.terms]);
  const listed = withFields(fields, filter.requiredFields);
  const anyDrive = where === 'sharedWithMe';
  const listRequest = { q, fields: listed, orderBy, pageSize, driveId, anyDrive };
  const page = await listPage(drive, listRequest, call, pageToken);
  const files = await filter.apply(page.files);
  return { ...page, files: files.map(fieldProjector(fields)) };
}
