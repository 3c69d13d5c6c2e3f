/** Tests names with a regular expression in a worker thread, which can be ended while it backtracks. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { TimeLimit } from '../time-limit';

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
    return await new Promise((resolve, reject) => {
      const limit = new TimeLimit(timeout, () => resolve(undefined));
      void matches.then(([result]) => resolve(result), reject).finally(() => limit.stop());
    });
  } finally {
    await worker.terminate();
  }
}
