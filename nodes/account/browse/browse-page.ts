/**
 * Pages of the editor's drive tree. Google returns sorted pages of the requested size; a custom service may return
 * everything in one response and in any order, which is then sorted and split here.
 */
import type { Capabilities } from '../../../src/index';
import type { ListedFile } from '../../shared/contract/dialog-api';

/** The start of a page. */
export interface Cursor {
  /** Page token of the service; undefined for its first page. */
  pageToken: string | undefined;
  /** Number of items of the service's page that were returned already. */
  offset: number;
}

/** @param page a cursor from {@link nextCursor}, `''` for the first page. @returns undefined if it is invalid */
export function parseCursor(page: string): Cursor | undefined {
  if (page === '') return { pageToken: undefined, offset: 0 };
  const [, offset, pageToken] = /^(\d{1,9})\.([\s\S]*)$/.exec(page) ?? [];
  if (offset === undefined || pageToken === undefined) return undefined;
  return { pageToken: pageToken === '' ? undefined : pageToken, offset: Number(offset) };
}

/** Like {@link parseCursor}, for a cursor that has been validated. */
export function readCursor(page: string): Cursor {
  return parseCursor(page) ?? { pageToken: undefined, offset: 0 };
}

/**
 * @param total number of items of the service's page
 * @returns the cursor of the next page, undefined after the last one
 */
export function nextCursor(
  { pageToken, offset }: Cursor,
  { size, total, nextPageToken }: { size: number; total: number; nextPageToken: string | undefined },
): string | undefined {
  if (offset + size < total) return `${offset + size}.${pageToken ?? ''}`;
  return nextPageToken === undefined ? undefined : `0.${nextPageToken}`;
}

/** Folders first, then by name, unless the service has sorted them. */
export function sortFiles({ orderBy }: Pick<Capabilities, 'orderBy'>, files: ListedFile[]): ListedFile[] {
  if (orderBy) return files;
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return [...files].sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || names.compare(a.name, b.name));
}
