/**
 * Files or folders of a folder, of all folders in it, or of the whole drive. The Google preset asks the service for all
 * that it can decide; a custom service is asked only what docs/signing-in.md lists, and the rest is decided here.
 */
import { allOf, inParents } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import type { DriveContext } from '../api/drive-context';
import { fieldProjector, withFields } from '../api/fields';
import { type FileList, listPages } from '../api/list';
import { type SearchCriteria, searchFilter } from './filter';
import { type SortOrder, SORT_FIELDS, orderByFor, sortPages } from './order';
import { walkTree } from './walk-tree';

export interface SearchRequest extends SearchCriteria {
  /** Folder id; undefined looks everywhere. */
  folderId?: string;
  /** Also in the folders inside the folder; of no effect where it looks everywhere. */
  recursive?: boolean;
  /** With `recursive`: 1 is the folder alone, 2 also the folders in it …; 0 has no limit. */
  maxDepth?: number;
  fields: string;
  /** The service's own terms; of no effect with `sort`. */
  orderBy?: string;
  sort?: SortOrder;
  /** With `sort`: how many are wanted at most, and one more to see that there is more; undefined for all. */
  limit?: number;
}

/**
 * @throws `not_configured` for folders of a custom service whose folder media type isn't set, `invalid_input` for a
 * pattern that is none or takes too long
 */
export async function* searchFiles(
  drive: DriveContext,
  wanted: SearchRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const filter = searchFilter(drive.service, wanted);
  const { sort, limit } = wanted;
  const isWalk = wanted.recursive === true && wanted.folderId !== undefined;
  const ordered = sort && !isWalk ? orderByFor(drive.service, sort) : undefined;
  const orderBy = sort ? ordered : wanted.orderBy;
  const needed = [...filter.requiredFields, ...(sort && !ordered ? SORT_FIELDS : [])];
  const request = {
    fields: withFields(wanted.fields, needed),
    ...(orderBy ? { orderBy } : {}),
  };
  const pick = fieldProjector(wanted.fields);
  const found = filtered(isWalk ? walked() : listed(), filter.apply);
  for await (const page of sort && !ordered ? sortPages(found, sort, limit) : found) {
    yield needed.length === 0 && !isWalk ? page : { ...page, files: page.files.map(pick) };
  }

  function walked(): AsyncGenerator<FileList> {
    const { folderId = '', maxDepth = 0, kind, includeTrashed } = wanted;
    return walkTree(drive, { ...request, ...filter, folderId, maxDepth, kind, includeTrashed }, call);
  }

  function listed(): AsyncGenerator<FileList> {
    const place = wanted.folderId === undefined ? [] : [inParents(wanted.folderId)];
    return listPages(drive, { ...request, q: allOf([...place, ...filter.terms]) }, call);
  }
}

async function* filtered(
  list: AsyncIterable<FileList>,
  select: (files: DriveFile[]) => DriveFile[],
): AsyncGenerator<FileList> {
  for await (const page of list) yield { ...page, files: select(page.files) };
}
