/**
 * The first `count` items of an order, sorted, in one pass and without sorting the rest: a page of a folder of
 * 100,000 costs about one comparison an item.
 */
export function firstOf<Item>(
  items: Iterable<Item>,
  count: number,
  compare: (a: Item, b: Item) => number,
): Item[] {
  const heap: Item[] = []; // the greatest of those kept is on top
  for (const item of items) {
    if (heap.length < count) {
      heap.push(item);
      siftUp(heap, compare);
    } else if (heap[0] !== undefined && compare(item, heap[0]) < 0) {
      heap[0] = item;
      siftDown(heap, compare);
    }
  }
  return heap.sort(compare);
}

function siftUp<Item>(heap: Item[], compare: (a: Item, b: Item) => number): void {
  let index = heap.length - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!swapIfGreater(heap, index, parent, compare)) return;
    index = parent;
  }
}

function siftDown<Item>(heap: Item[], compare: (a: Item, b: Item) => number): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const [a, b] = [heap[left], heap[right]];
    if (a === undefined) return;
    const child = b !== undefined && compare(b, a) > 0 ? right : left;
    if (!swapIfGreater(heap, child, index, compare)) return;
    index = child;
  }
}

/** Brings the child up if it is greater than its parent. */
function swapIfGreater<Item>(
  heap: Item[],
  child: number,
  parent: number,
  compare: (a: Item, b: Item) => number,
): boolean {
  const [lower, upper] = [heap[child], heap[parent]];
  if (lower === undefined || upper === undefined || compare(lower, upper) <= 0) return false;
  heap[child] = upper;
  heap[parent] = lower;
  return true;
}
