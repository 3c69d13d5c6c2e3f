import type { FileRecord } from '../metadata/file-record';
import type { Order, Place } from './order';

/** A match with its place in the order of the search. */
interface Placed {
  record: FileRecord;
  place: Place;
}

interface Result {
  search: string;
  revision: number;
  order: Order;
  sorted: Placed[];
}

/** Searches that are being paged through at the same time. */
const KEPT = 8;

/**
 * The sorted results of the latest searches, good for as long as no file changes: the pages of a folder of
 * 100,000 then cost one sort, not one each.
 */
export class SearchResults {
  private results: Result[] = [];

  /** The matches behind a place (all if there is none), at most `count` of them. */
  after(
    place: Place | undefined,
    count: number,
    wanted: Omit<Result, 'sorted'>,
    find: () => Iterable<FileRecord>,
  ) {
    const { sorted, order } = this.resultOf(wanted, find);
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

  private resultOf(wanted: Omit<Result, 'sorted'>, find: () => Iterable<FileRecord>): Result {
    const { search, revision, order } = wanted;
    const known = this.results.find((each) => each.search === search && each.revision === revision);
    if (known) return known;
    const sorted = Array.from(find(), (record) => ({ record, place: order.placeOf(record) }));
    sorted.sort((a, b) => order.compare(a.place, b.place));
    const result = { ...wanted, sorted };
    const others = this.results.filter((each) => each.search !== search && each.revision === revision);
    this.results = [result, ...others].slice(0, KEPT);
    return result;
  }
}
