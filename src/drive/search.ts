/**
 * Files or folders of a folder, of all folders in it, or of the whole drive. The Google preset asks the service for all
 * that it can filter; a custom service gets only the queries in docs/signing-in.md, and the rest is filtered here.
 * How names are matched, such as `backup-2042` by `42`: name-matcher.ts.
 */
import { DriveError, isDriveError } from '../errors';
import { allOf, inParents } from './query';
import type { CallOptions, DriveFile } from '../types';
import type { DriveContext } from './drive-context';
import { fieldProjector, withFields } from './fields';
import { type FileList, RecentFiles, listPages } from './list';
import { isOutside } from './outside-drive';
import { findTargetId } from './shortcuts';
import { type SearchCriteria, searchFilter } from './filter';
import { type SortOrder, SORT_FIELDS, orderByFor, sortPages } from './order';
import { walkTree } from './walk-tree';

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
