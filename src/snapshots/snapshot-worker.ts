/** The code of the worker thread: see snapshot-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { runWorker } from '../archive/worker';
import { inspectSnapshot, restoreSnapshot } from './read-jobs';
import type { SnapshotHost, SnapshotJob } from './snapshot-job';
import { type AnswerMessage, Caller } from './store-calls';
import { listSnapshots, writeSnapshot } from './write-snapshot';

const WORK: Record<SnapshotJob['work'], (job: never, host: SnapshotHost<unknown>) => Promise<unknown>> = {
  ...{ backup: writeSnapshot, snapshots: listSnapshots },
  ...{ restore: restoreSnapshot, check: inspectSnapshot, entries: inspectSnapshot },
};

async function run(job: SnapshotJob): Promise<void> {
  const caller = new Caller((message, transferred) => parentPort?.postMessage(message, transferred));
  parentPort?.on('message', (message: AnswerMessage) => caller.answer(message));
  const result = await WORK[job.work](job as never, caller.proxy());
  parentPort?.postMessage({ result, isComplete: true });
}

void runWorker(() => run(workerData as SnapshotJob));
