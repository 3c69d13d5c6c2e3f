/** One page of a search, for someone who looks at it and asks for the next one or doesn't. */
import { allOf, inParents } from '../api/query';
import type { CallOptions } from '../types';
import type { DriveContext } from '../api/drive-context';
import { projectFields, withFields } from '../api/fields';
import { type FilePage, listPage } from '../api/list';
import { type SearchCriteria, searchFilter } from './filter';

export interface SearchPageRequest extends SearchCriteria {
  /** Folder id; undefined looks everywhere. */
  folderId?: string;
  fields: string;
  orderBy?: string;
}

/** A page of its own: where it begins, and how much it may hold. */
export interface PageOptions {
  /** Of the page before; absent for the first. */
  pageToken?: string;
  /** A custom service's pages are as large as it likes. */
  pageSize: number;
}

/** @returns what is wanted of one page; it may be empty although there is a next one */
export async function searchPage(
  { drive, wanted, call }: { drive: DriveContext; wanted: SearchPageRequest; call: CallOptions },
  { pageToken, pageSize }: PageOptions,
): Promise<FilePage> {
  const { folderId, fields, orderBy } = wanted;
  const filter = searchFilter(drive.service, wanted);
  const request = {
    q: allOf([...(folderId === undefined ? [] : [inParents(folderId)]), ...filter.terms]),
    fields: withFields(fields, filter.requiredFields),
    ...(orderBy ? { orderBy } : {}),
    pageSize,
  };
  const page = await listPage(drive, request, call, pageToken);
  const files = filter.apply(page.files);
  return { ...page, files: files.map((file) => projectFields(file, fields)) };
}
