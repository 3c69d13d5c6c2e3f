/** What the code of all worker threads has in common: it does jobs, and calls the main thread. See call-thread.ts. */
import { setImmediate } from 'node:timers/promises';
import { types } from 'node:util';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type ThreadError, fromThreadError, toThreadError } from './thread-error';

/** ms between messages about the progress. */
const PROGRESS_INTERVAL = 100;
/** ms */
const EXIT_TIMEOUT = 2_000;

/** The message that starts a job, whose own messages use the port. */
export interface StartMessage {
  job: { work: string };
  port: MessagePort;
}

/** The message after which a thread ends. */
export const END = 'end';

/** To the main thread, which answers. */
export interface CallMessage {
  call: number;
  method: string;
  args: unknown[];
}

/** The last message of a job. */
export type OutcomeMessage = { result: unknown } | { error: ThreadError };
export type AnswerMessage = { call: number } & OutcomeMessage;

/** Does the jobs of the main thread. @param work by the `work` of a job; gets the job, and the methods of the main thread */
export function serveJobs(work: Record<string, (job: never, host: never) => Promise<unknown>>): void {
  const run = async ({ job, port }: StartMessage): Promise<void> => {
    try {
      const result = await work[job.work]?.(job as never, hostAt(port) as never);
      port.postMessage({ result } satisfies OutcomeMessage);
    } catch (error) {
      port.postMessage({ error: toThreadError(error) } satisfies OutcomeMessage);
    }
    await filesClosed();
    parentPort?.postMessage('idle');
  };
  parentPort?.on('message', (message: StartMessage | typeof END) => {
    if (message === END) endThread();
    else void run(message);
  });
}

/**
 * @returns the host of the main thread, whose methods may only have arguments and results that a message can contain.
 *   Each returns a promise. Memory is passed on.
 */
export function hostAt(port: MessagePort): object {
  const pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  port.on('message', (message: AnswerMessage) => {
    const waiting = pending.get(message.call);
    pending.delete(message.call);
    if ('error' in message) waiting?.reject(fromThreadError(message.error));
    else waiting?.resolve(asBuffer(message.result));
  });
  let count = 0;
  const callOf =
    (method: string) =>
    (...args: unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        const call = count++;
        pending.set(call, { resolve, reject });
        port.postMessage({ call, method, args } satisfies CallMessage, args.filter(types.isArrayBuffer));
      });
  // A promise resolves with the proxy, so it must not look like one itself.
  return new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' && name !== 'then' ? callOf(name) : undefined) },
  );
}

/** A buffer arrives as an array. */
function asBuffer(result: unknown): unknown {
  return types.isUint8Array(result) ? Buffer.from(result.buffer, result.byteOffset, result.length) : result;
}

/** @returns a function that reports only now and then, and doesn't wait for it */
export function throttled<T>(report: (value: T) => Promise<void>): (value: T) => void {
  let reported = -Infinity;
  return (value) => {
    if (performance.now() - reported < PROGRESS_INTERVAL) return;
    reported = performance.now();
    report(value).catch(() => undefined);
  };
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
