/**
 * Pages of the editor's own making: Google gives them sorted and as large as they are asked for; a custom service may
 * answer with everything at once and in any order, and then a page is a part of its answer.
 */
import type { ListedFile } from '../../shared/contract/browse-api';

/** Where a page begins. */
export interface Cursor {
  /** The service's page; undefined for its first. */
  pageToken: string | undefined;
  /** Items of that page that come before. */
  offset: number;
}

/** @param page as {@link nextPageToken} made it, `''` for the beginning; undefined is returned for nothing of the kind */
export function parseCursor(page: string): Cursor | undefined {
  if (page === '') return { pageToken: undefined, offset: 0 };
  const [, offset, pageToken] = /^(\d{1,9})\.([\s\S]*)$/.exec(page) ?? [];
  if (offset === undefined || pageToken === undefined) return undefined;
  return { pageToken: pageToken === '' ? undefined : pageToken, offset: Number(offset) };
}

/** For a cursor that has been checked. */
export function readCursor(page: string): Cursor {
  return parseCursor(page) ?? { pageToken: undefined, offset: 0 };
}

/**
 * @param of items of the service's page
 * @returns what asks for the next page; undefined at the end
 */
export function nextCursor(
  { pageToken, offset }: Cursor,
  { size, of, nextPageToken }: { size: number; of: number; nextPageToken: string | undefined },
): string | undefined {
  if (offset + size < of) return `${offset + size}.${pageToken ?? ''}`;
  return nextPageToken === undefined ? undefined : `0.${nextPageToken}`;
}

/** Folders first, then by name; what Google gives is in that order. */
export function sortFiles(kind: 'google' | 'custom', files: ListedFile[]): ListedFile[] {
  if (kind === 'google') return files;
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return [...files].sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || names.compare(a.name, b.name));
}
