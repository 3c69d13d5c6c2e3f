import type { FileRecord } from '../storage/file-record';
import type { Order, SortKey } from './order';

/** A matching file with its position in the order. */
interface Match {
  record: FileRecord;
  sortKey: SortKey;
}

interface CachedSearch {
  search: string;
  revision: number;
  order: Order;
  sorted: Match[];
}

/** Number of searches that can be paged through concurrently. */
const MAX_SEARCHES = 8;

/**
 * The sorted results of the latest searches, valid until a file changes. All pages of a large folder share one
 * sort.
 */
export class SearchCache {
  private searches: CachedSearch[] = [];

  /** Up to `count` matches after a sort key, or from the start if it is undefined. */
  page(
    after: SortKey | undefined,
    count: number,
    query: Omit<CachedSearch, 'sorted'>,
    find: () => Iterable<FileRecord>,
  ) {
    const { sorted, order } = this.search(query, find);
    let low = 0;
    let high = after === undefined ? 0 : sorted.length;
    while (after !== undefined && low < high) {
      const middle = (low + high) >> 1;
      const found = sorted[middle];
      if (found && order.compare(found.sortKey, after) > 0) high = middle;
      else low = middle + 1;
    }
    return sorted.slice(low, low + count);
  }

  private search(query: Omit<CachedSearch, 'sorted'>, find: () => Iterable<FileRecord>): CachedSearch {
    const { search, revision, order } = query;
    const cached = this.searches.find((each) => each.search === search && each.revision === revision);
    if (cached) return cached;
    const sorted = Array.from(find(), (record) => ({ record, sortKey: order.sortKeyOf(record) }));
    sorted.sort((a, b) => order.compare(a.sortKey, b.sortKey));
    const result = { ...query, sorted };
    const others = this.searches.filter((each) => each.search !== search && each.revision === revision);
    this.searches = [result, ...others].slice(0, MAX_SEARCHES);
    return result;
  }
}
