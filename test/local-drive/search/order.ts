/** `orderBy`. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
import { invalidValue } from '../http/api-error';
import { isFolder, type FileRecord } from '../storage/file-record';

type Value = string | number;

interface OrderField {
  value: (record: FileRecord) => Value;
  descending: boolean;
  compare: (a: Value, b: Value) => number;
}

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Keys that keep what they name as it is. */
const SORT_VALUES: Record<string, (record: FileRecord) => Value> = {
  createdTime: ({ createdTime }) => createdTime,
  // Folders first, by the name that the key has in the user interface of the real service.
  folder: (record) => (isFolder(record) ? 0 : 1),
  modifiedByMeTime: ({ modifiedTime }) => modifiedTime,
  modifiedTime: ({ modifiedTime }) => modifiedTime,
  name: ({ name }) => name.toLowerCase(),
  name_natural: ({ name }) => name,
  quotaBytesUsed: ({ content }) => content?.size ?? 0,
  recency: ({ createdTime, modifiedTime, viewedByMeTime = 0 }) =>
    Math.max(createdTime, modifiedTime, viewedByMeTime),
  sharedWithMeTime: () => 0,
  starred: ({ starred }) => (starred ? 1 : 0),
  viewedByMeTime: ({ viewedByMeTime }) => viewedByMeTime ?? 0,
};

/** A place in an order: the values of the keys, then the place in the order of creation. */
export type SortKey = Value[];

/** How a list is sorted. The order of creation decides between equals, so places are unique. */
export class Order {
  private constructor(private readonly keys: OrderField[]) {}

  /** Reads `orderBy`, e.g. `folder,modifiedTime desc,name`; 400 for an unknown key. */
  static parse(text: string): Order {
    const keys = text
      .split(',')
      .filter((each) => each.trim() !== '')
      .map((each) => {
        const [, name = '', direction] = /^\s*(\w+)(\s+desc)?\s*$/.exec(each) ?? [];
        const value = Object.hasOwn(SORT_VALUES, name) ? SORT_VALUES[name] : undefined;
        if (!value) throw invalidValue('orderBy');
        const compare = name === 'name_natural' ? compareNaturally : compareValues;
        return { value, descending: direction !== undefined, compare };
      });
    return new Order([...keys, { value: ({ order }) => order, descending: false, compare: compareValues }]);
  }

  sortKeyOf(record: FileRecord): SortKey {
    return this.keys.map(({ value }) => value(record));
  }

  /** Below 0 if the first place comes before the second. */
  compare(a: SortKey, b: SortKey): number {
    for (const [index, key] of this.keys.entries()) {
      const difference = key.compare(a[index] ?? 0, b[index] ?? 0);
      if (difference !== 0) return key.descending ? -difference : difference;
    }
    return 0;
  }

  /** Whether a place that came from outside has the shape of this order's places. */
  accepts(place: unknown): place is SortKey {
    return (
      Array.isArray(place) &&
      place.length === this.keys.length &&
      place.every((each) => typeof each === 'string' || typeof each === 'number')
    );
  }
}

function compareValues(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNaturally(a: Value, b: Value): number {
  return natural.compare(String(a), String(b));
}
