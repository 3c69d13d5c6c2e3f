/** One page of search results, for a user who may ask for the next one. */
import { allOf, inParents } from './query';
import type { CallOptions } from '../types';
import type { DriveContext } from './drive-context';
import { fieldProjector, withFields } from './fields';
import { type FilePage, listPage } from './list';
import { type SearchCriteria, searchFilter } from './filter';

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
): Promise<FilePage> {
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
