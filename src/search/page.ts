/** One page of a search, for someone who looks at it and asks for the next one or doesn't. */
import { allOf, inParents } from '../api/query';
import type { CallOptions } from '../types';
import type { DriveContext } from '../api/drive-context';
import { onlyFields, withFields } from '../api/fields';
import { type FilePage, onePage } from '../api/list';
import { type Wanted, searchFilter } from './filter';

export interface PageSearch extends Wanted {
  /** Folder id; undefined looks everywhere. */
  folderId?: string;
  fields: string;
  orderBy?: string;
}

/** A page of its own: where it begins, and how much it may hold. */
export interface PageOf {
  /** Of the page before; absent for the first. */
  pageToken?: string;
  /** A custom service's pages are as large as it likes. */
  pageSize: number;
}

/** @returns what is wanted of one page; it may be empty although there is a next one */
export async function searchPage(
  { drive, wanted, call }: { drive: DriveContext; wanted: PageSearch; call: CallOptions },
  { pageToken, pageSize }: PageOf,
): Promise<FilePage> {
  const { folderId, fields, orderBy } = wanted;
  const filter = searchFilter(drive.service, wanted);
  const request = {
    q: allOf([...(folderId === undefined ? [] : [inParents(folderId)]), ...filter.terms]),
    fields: withFields(fields, filter.needed),
    ...(orderBy ? { orderBy } : {}),
    pageSize,
  };
  const page = await onePage(drive, request, call, pageToken);
  const files = filter.select(page.files);
  return { ...page, files: files.map((file) => onlyFields(file, fields)) };
}
