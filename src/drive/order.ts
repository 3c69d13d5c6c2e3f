/** Sorts search results: by the service where it supports the order, otherwise here. */
import type { DriveFile, Service } from '../types';
import { sizeOf } from './checksums';
import type { FileList } from './list';

export type SortOrder = 'newest' | 'oldest' | 'name' | 'largest';

export const SORT_FIELDS = ['id', 'name', 'modifiedTime', 'size'] as const;

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
  newest: (a, b) => modifiedAt(b) - modifiedAt(a),
  oldest: (a, b) => modifiedAt(a) - modifiedAt(b),
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

/** Files without a time count as the oldest. */
function modifiedAt({ modifiedTime = '' }: DriveFile): number {
  return Date.parse(modifiedTime) || 0;
}
