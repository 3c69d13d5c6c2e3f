/** Tests names with a regular expression in a worker thread, which can be ended while it backtracks. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CODE = `
const { parentPort, workerData: { expression, names } } = require('node:worker_threads');
parentPort.postMessage(names.map((name) => expression.test(name)));
`;
/** MiB. */
const LIMITS = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/** @returns for each name whether it matches; undefined if that took longer than `timeout` ms */
export async function matchInThread(
  expression: RegExp,
  names: readonly string[],
  timeout: number,
): Promise<boolean[] | undefined> {
  const worker = new Worker(CODE, { eval: true, workerData: { expression, names }, resourceLimits: LIMITS });
  try {
    const matches = once(worker, 'message') as Promise<[boolean[]]>;
    matches.catch(() => undefined);
    // A small machine takes a while to start a thread.
    await once(worker, 'online');
    const limit = new AbortController();
    const timedOut = new Promise<undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), timeout);
      limit.signal.addEventListener('abort', () => clearTimeout(timer));
    });
    return await Promise.race([matches.then(([result]) => result), timedOut]).finally(() => limit.abort());
  } finally {
    await worker.terminate();
  }
}
