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

/** The sort keys of `orderBy`. */
const SORT_VALUES: Record<string, (record: FileRecord) => Value> = {
  createdTime: ({ createdTime }) => createdTime,
  // Folders first.
  folder: (record) => (isFolder(record) ? 0 : 1),
  modifiedByMeTime: ({ modifiedTime }) => modifiedTime,
  modifiedTime: ({ modifiedTime }) => modifiedTime,
  name: ({ name }) => name.toLowerCase(),
  name_natural: ({ name }) => name,
  quotaBytesUsed: ({ content }) => content?.size ?? 0,
  recency: ({ createdTime, modifiedTime, viewedByMeTime = 0 }) =>
    Math.max(createdTime, modifiedTime, viewedByMeTime),
  sharedWithMeTime: ({ sharedWithMe }) => sharedWithMe?.time ?? 0,
  starred: ({ starred }) => (starred ? 1 : 0),
  viewedByMeTime: ({ viewedByMeTime }) => viewedByMeTime ?? 0,
};

/** The position of a file in an order: the values of its sort fields, then its creation number. */
export type SortKey = Value[];

/** The order of a list. Ties are broken by the order of creation, so sort keys are unique. */
export class Order {
  private constructor(private readonly keys: OrderField[]) {}

  /** Parses `orderBy`, such as `folder,modifiedTime desc,name`; 400 for an unknown key. */
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

  /** Negative if `a` comes before `b`. */
  compare(a: SortKey, b: SortKey): number {
    for (const [index, key] of this.keys.entries()) {
      const difference = key.compare(a[index] ?? 0, b[index] ?? 0);
      if (difference !== 0) return key.descending ? -difference : difference;
    }
    return 0;
  }

  /** Whether a value from a page token is a sort key of this order. */
  accepts(key: unknown): key is SortKey {
    return (
      Array.isArray(key) &&
      key.length === this.keys.length &&
      key.every((each) => typeof each === 'string' || typeof each === 'number')
    );
  }
}

function compareValues(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNaturally(a: Value, b: Value): number {
  return natural.compare(String(a), String(b));
}
