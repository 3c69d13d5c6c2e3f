/** The code of the worker thread: see snapshot-thread.ts. */
import type { MessagePort } from 'node:worker_threads';
import { serveJobs } from '../../core/threads/worker';
import { findSnapshots, inspectSnapshot, restoreSnapshot } from './read-jobs';
import type { SnapshotHost, SnapshotJob } from './snapshot-job';
import { type AnswerMessage, Caller } from './store-calls';
import { writeSnapshot } from './write-snapshot';

const WORK: Record<SnapshotJob['work'], (job: never, host: SnapshotHost<unknown>) => Promise<unknown>> = {
  ...{ backup: writeSnapshot, snapshots: findSnapshots },
  ...{ restore: restoreSnapshot, check: inspectSnapshot, entries: inspectSnapshot },
};

async function run(job: SnapshotJob, port: MessagePort): Promise<void> {
  const caller = new Caller((message, transferred) => port.postMessage(message, transferred));
  port.on('message', (message: AnswerMessage) => caller.answer(message));
  const result = await WORK[job.work](job as never, caller.proxy());
  port.postMessage({ result, isComplete: true });
}

serveJobs(run);
