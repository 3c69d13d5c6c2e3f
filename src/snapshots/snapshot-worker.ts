/** The code of the worker thread: see snapshot-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { toThreadError } from '../archive/thread-error';
import { inspectSnapshot, restoreSnapshot } from './read-jobs';
import type { SnapshotHost, SnapshotJob } from './snapshot-job';
import { type AnswerMessage, Caller } from './store-calls';
import { listSnapshots, writeSnapshot } from './write-snapshot';

/** ms */
const EXIT_TIMEOUT = 2_000;

function work(job: SnapshotJob, host: SnapshotHost<unknown>): Promise<unknown> {
  switch (job.work) {
    case 'backup':
      return writeSnapshot(job, host);
    case 'snapshots':
      return listSnapshots(job, host);
    case 'restore':
      return restoreSnapshot(job, host);
    default:
      return inspectSnapshot(job, host);
  }
}

async function run(job: SnapshotJob): Promise<void> {
  const caller = new Caller((message, transferred) => parentPort?.postMessage(message, transferred));
  parentPort?.on('message', (message: AnswerMessage) => caller.answer(message));
  try {
    const result = await work(job, caller.proxy());
    parentPort?.postMessage({ result, isComplete: true });
  } catch (error) {
    parentPort?.postMessage({ error: toThreadError(error) });
  }
  parentPort?.close();
  // The thread ends when all files are closed. This is for a mistake that would keep it alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}

void run(workerData as SnapshotJob);
