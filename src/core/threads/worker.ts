/** What the code of all worker threads has in common: see thread-pool.ts. */
import { setImmediate } from 'node:timers/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { toThreadError } from './thread-error';

/** ms between messages about the progress. */
const PROGRESS_INTERVAL = 100;
/** ms */
const EXIT_TIMEOUT = 2_000;

/** The message that starts a job, whose own messages use the port. */
export interface StartMessage {
  job: object;
  port: MessagePort;
}

/** The message after which a thread ends. */
export const END = 'end';

/** @returns a function that reports only now and then */
export function throttled<T>(report: (value: T) => void): (value: T) => void {
  let reported = -Infinity;
  return (value) => {
    if (performance.now() - reported < PROGRESS_INTERVAL) return;
    reported = performance.now();
    report(value);
  };
}

/** Does the jobs of the main thread. @param work posts its own last message; its error is posted too */
export function serveJobs<Job>(work: (job: Job, port: MessagePort) => Promise<void>): void {
  const run = async ({ job, port }: StartMessage): Promise<void> => {
    try {
      await work(job as Job, port);
    } catch (error) {
      port.postMessage({ error: toThreadError(error) });
    }
    await filesClosed();
    parentPort?.postMessage('idle');
  };
  parentPort?.on('message', (message: StartMessage | typeof END) => {
    if (message === END) endThread();
    else void run(message);
  });
}

function endThread(): void {
  parentPort?.close();
  // The thread ends when all files are closed. This is for a mistake that would keep it alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}

/** Until everything that a job has left to the system is done, such as closing files. Ends the thread after some time. */
async function filesClosed(): Promise<void> {
  const start = performance.now();
  while (activeResources().some((name) => name.includes('Req'))) {
    if (performance.now() - start > EXIT_TIMEOUT) process.exit();
    await setImmediate();
  }
}

/** Requests have names such as FSReqPromise and CloseReq. @types/node lacks this function for Node 18. */
function activeResources(): string[] {
  return (process as unknown as { getActiveResourcesInfo(): string[] }).getActiveResourcesInfo();
}
