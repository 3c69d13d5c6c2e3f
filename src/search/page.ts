/** One page of search results, for a user who may ask for the next one. */
import { allOf, inParents } from '../api/query';
import type { CallOptions } from '../types';
import type { DriveContext } from '../api/drive-context';
import { fieldProjector, withFields } from '../api/fields';
import { type FilePage, listPage } from '../api/list';
import { type SearchCriteria, searchFilter } from './filter';

export interface SearchPageRequest extends SearchCriteria {
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
  const { folderId, fields, orderBy, pageToken, pageSize } = request;
  const filter = searchFilter(drive.service, request);
  const parent = folderId === undefined ? [] : [inParents(folderId)];
  const q = allOf([...parent, ...filter.terms]);
  const listRequest = { q, fields: withFields(fields, filter.requiredFields), orderBy, pageSize };
  const page = await listPage(drive, listRequest, call, pageToken);
  return { ...page, files: filter.apply(page.files).map(fieldProjector(fields)) };
}
