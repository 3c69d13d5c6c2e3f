/** Runs work on many items, a few at a time, without a promise for each item. */

/** @returns when all items are done. @throws the first error, once the other workers have finished their items */
export async function runWorkers<T>(
  count: number,
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let error: unknown;
  let hasFailed = false;
  const runWorker = async (): Promise<void> => {
    for (let next = iterator.next(); !hasFailed && !next.done; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (caught) {
        if (!hasFailed) error = caught;
        hasFailed = true;
      }
    }
  };
  await Promise.all(Array.from({ length: count }, runWorker));
  if (hasFailed) throw error;
}
