/** The order of what a search finds: the service's where that is the same one, else made here. */
import type { DriveFile, Service } from '../types';
import { sizeOf } from '../api/checksums';
import type { FileList } from '../api/list';

export type SortOrder = 'newest' | 'oldest' | 'name' | 'largest';

export const SORT_FIELDS = ['id', 'name', 'modifiedTime', 'size'] as const;

/**
 * @returns for `orderBy`; undefined where the service has none: a custom one, and for sizes also Google, whose
 * `quotaBytesUsed` counts old versions too
 */
export function orderByFor({ kind }: Service, sort: SortOrder): string | undefined {
  if (kind === 'custom') return undefined;
  return { newest: 'modifiedTime desc', oldest: 'modifiedTime', name: 'name_natural', largest: undefined }[
    sort
  ];
}

const PAGE = 1_000;

/**
 * Numbers in names count as numbers, and the same whatever the system's language. Made when it is needed: a tenth of
 * the time in which the package is loaded.
 */
let names: Intl.Collator | undefined;

const COMPARE: Readonly<Record<SortOrder, (a: DriveFile, b: DriveFile) => number>> = {
  newest: (a, b) => modifiedAt(b) - modifiedAt(a),
  oldest: (a, b) => modifiedAt(a) - modifiedAt(b),
  largest: (a, b) => (sizeOf(b) ?? 0) - (sizeOf(a) ?? 0),
  name: () => 0,
};

/**
 * Holds no more than twice `most` at a time.
 * @param most how many are wanted; one more is given where there is one. Undefined for all
 */
export async function* sortPages(
  pages: AsyncIterable<FileList>,
  sort: SortOrder,
  most?: number,
): AsyncGenerator<FileList> {
  const kept = most === undefined ? Infinity : most + 1;
  let files: DriveFile[] = [];
  let incompleteSearch = false;
  const cut = (): void => {
    files.sort((a, b) => COMPARE[sort](a, b) || byName(a, b));
    files = files.slice(0, kept);
  };
  for await (const page of pages) {
    incompleteSearch ||= page.incompleteSearch;
    files.push(...page.files);
    if (files.length > 2 * kept) cut();
  }
  cut();
  for (let start = 0; start === 0 || start < files.length; start += PAGE) {
    yield { files: files.slice(start, start + PAGE), incompleteSearch };
  }
}

function byName(a: DriveFile, b: DriveFile): number {
  names ??= new Intl.Collator('en', { numeric: true });
  return names.compare(a.name ?? '', b.name ?? '') || (a.id < b.id ? -1 : 1);
}

/** What has no time is the oldest. */
function modifiedAt({ modifiedTime = '' }: DriveFile): number {
  return Date.parse(modifiedTime) || 0;
}
