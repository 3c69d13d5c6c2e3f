/** What the code of all worker threads has in common. */
import { parentPort } from 'node:worker_threads';
import { toThreadError } from './thread-error';

/** ms between messages about the progress. */
const PROGRESS_INTERVAL = 100;
/** ms */
const EXIT_TIMEOUT = 2_000;

/** @returns a function that reports only now and then */
export function throttled<T>(report: (value: T) => void): (value: T) => void {
  let reported = -Infinity;
  return (value) => {
    if (performance.now() - reported < PROGRESS_INTERVAL) return;
    reported = performance.now();
    report(value);
  };
}

/** Ends the thread after its work, which posts its own last message, or with an error as the last message. */
export async function runWorker(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    parentPort?.postMessage({ error: toThreadError(error) });
  }
  parentPort?.close();
  // The thread ends when all files are closed. This is for a mistake that would keep it alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}
