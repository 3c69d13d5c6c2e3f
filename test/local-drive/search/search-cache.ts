import type { FileRecord } from '../storage/file-record';
import type { Order, SortKey } from './order';

/** A match with its place in the order of the search. */
interface Match {
  record: FileRecord;
  place: SortKey;
}

interface CachedSearch {
  search: string;
  revision: number;
  order: Order;
  sorted: Match[];
}

/** Searches that are being paged through at the same time. */
const MAX_SEARCHES = 8;

/**
 * The sorted results of the latest searches, good for as long as no file changes: the pages of a folder of
 * 100,000 then cost one sort, not one each.
 */
export class SearchCache {
  private searches: CachedSearch[] = [];

  /** The matches behind a place (all if there is none), at most `count` of them. */
  page(
    place: SortKey | undefined,
    count: number,
    wanted: Omit<CachedSearch, 'sorted'>,
    find: () => Iterable<FileRecord>,
  ) {
    const { sorted, order } = this.search(wanted, find);
    let low = 0;
    let high = place === undefined ? 0 : sorted.length;
    while (place !== undefined && low < high) {
      const middle = (low + high) >> 1;
      const found = sorted[middle];
      if (found && order.compare(found.place, place) > 0) high = middle;
      else low = middle + 1;
    }
    return sorted.slice(low, low + count);
  }

  private search(wanted: Omit<CachedSearch, 'sorted'>, find: () => Iterable<FileRecord>): CachedSearch {
    const { search, revision, order } = wanted;
    const known = this.searches.find((each) => each.search === search && each.revision === revision);
    if (known) return known;
    const sorted = Array.from(find(), (record) => ({ record, place: order.sortKeyOf(record) }));
    sorted.sort((a, b) => order.compare(a.place, b.place));
    const result = { ...wanted, sorted };
    const others = this.searches.filter((each) => each.search !== search && each.revision === revision);
    this.searches = [result, ...others].slice(0, MAX_SEARCHES);
    return result;
  }
}
