/**
 * Runs jobs in worker threads, which delay nothing else in Node-RED. A thread may call methods of the main thread, and is
 * kept for the next job for a while, because starting one takes longer than a small job. Its side: see serve-jobs.ts.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { types } from 'node:util';
import { cancelled } from '../../errors';
import { onAbort } from '../abort';
import {
  type AnswerMessage,
  type CallMessage,
  END,
  type OutcomeMessage,
  type StartMessage,
} from './serve-jobs';
import { fromThreadError, toThreadError } from './thread-error';

/** ms. Short, because a thread keeps the memory of its last job. */
const IDLE_TIME = 2_000;
/** Threads that wait for a job. */
const MAX_IDLE = 2;

/** What a thread runs. */
export interface ThreadCode {
  file: string;
  /** For short-lived objects. By default, a thread uses 48 MiB before it collects what it doesn't need any more. */
  maxYoungGenerationSizeMb: number;
}

interface CallOptions {
  signal: AbortSignal | undefined;
  pool?: ThreadPool;
}

/**
 * @param job its `work` selects the function of the thread that does it. A message must be able to contain it
 * @param host whose methods the thread calls
 * @returns the result. Nothing runs in the thread any more, after a failure either
 * @throws `cancelled`, and the errors of the job
 */
export async function callThread<Result>(
  code: ThreadCode,
  job: { work: string },
  host: object,
  { signal, pool = threadPool }: CallOptions,
): Promise<Result> {
  if (signal?.aborted) throw cancelled();
  const thread = pool.take(code);
  const { port1: port, port2 } = new MessageChannel();
  let state = 'running' as 'running' | 'failed' | 'succeeded';
  let stop: (() => void) | undefined;
  try {
    return await new Promise<Result>((resolve, reject) => {
      stop = signal && onAbort(signal, () => reject(cancelled()));
      port.on('message', (message: CallMessage | OutcomeMessage) => {
        if ('call' in message) return void answerCall(host, message, port);
        state = 'error' in message ? 'failed' : 'succeeded';
        if ('error' in message) reject(fromThreadError(message.error));
        else resolve(message.result as Result);
      });
      thread.start({ job, port: port2 }, reject);
    });
  } finally {
    stop?.();
    await thread.finish(state === 'running');
    port.close();
    if (state === 'succeeded' && thread.isUsable) pool.keep(thread);
    else await thread.end();
  }
}

/** Memory is passed on. */
export async function answerCall(
  host: object,
  { call, method, args }: CallMessage,
  port: MessagePort,
): Promise<void> {
  const methods = host as Record<string, (...args: unknown[]) => unknown>;
  try {
    const result = await methods[method]?.(...args);
    port.postMessage({ call, result } satisfies AnswerMessage, ownMemory(result));
  } catch (error) {
    port.postMessage({ call, error: toThreadError(error) } satisfies AnswerMessage);
  }
}

/** @returns the memory that can be passed on instead of copied. Small buffers share theirs. */
function ownMemory(result: unknown): ArrayBuffer[] {
  if (types.isArrayBuffer(result)) return [result];
  if (!types.isUint8Array(result) || result.length < result.buffer.byteLength) return [];
  return [result.buffer as ArrayBuffer];
}

/** A thread, which does one job after the other. */
export class JobThread {
  /** Resolves when the thread has ended. */
  readonly exit: Promise<void>;
  hasExited = false;
  /** Not after an error that nothing caught: the thread will end. */
  isUsable = true;
  private readonly worker: Worker;
  private idle: Promise<void> = Promise.resolve();
  private onIdle = (): void => undefined;
  private onExit = (_reason: Error): void => undefined;

  constructor(readonly code: ThreadCode) {
    const { file, maxYoungGenerationSizeMb } = code;
    this.worker = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb } });
    let reason = new Error('the worker thread has ended');
    this.worker.on('error', (error) => {
      reason = error;
      this.isUsable = false;
    });
    this.worker.on('message', () => this.onIdle());
    this.exit = new Promise((resolve) =>
      this.worker.on('exit', () => {
        this.hasExited = true;
        this.isUsable = false;
        this.onExit(reason);
        this.onIdle();
        resolve();
      }),
    );
  }

  /** @param message with the port for the messages of this job, so that none of them reaches the next one */
  start(message: StartMessage, onExit: (reason: Error) => void): void {
    this.idle = new Promise((resolve) => (this.onIdle = resolve));
    this.onExit = onExit;
    this.worker.ref();
    this.worker.postMessage(message, [message.port]);
  }

  /** Resolves when nothing of the job runs any more. */
  async finish(terminates: boolean): Promise<void> {
    if (terminates) await this.worker.terminate();
    await this.idle;
    this.onExit = this.onIdle = () => undefined;
  }

  /** Waiting for a job. The process doesn't wait for the thread. */
  rest(): void {
    this.worker.unref();
  }

  /** Resolves when the thread has closed its files and ended. */
  async end(): Promise<void> {
    this.worker.postMessage(END);
    await this.exit;
  }
}

export class ThreadPool {
  private readonly idle = new Map<JobThread, NodeJS.Timeout>();

  constructor(private readonly idleTime = IDLE_TIME) {}

  /** @returns a thread that runs nothing */
  take(code: ThreadCode): JobThread {
    const kept = [...this.idle.keys()].find((each) => each.code.file === code.file && each.isUsable);
    if (!kept) return new JobThread(code);
    this.remove(kept);
    return kept;
  }

  /** Keeps a thread whose job has succeeded. After a failure, nobody knows what it still does. */
  keep(thread: JobThread): void {
    thread.rest();
    const timer = setTimeout(() => void this.end(thread), this.idleTime).unref();
    this.idle.set(thread, timer);
    const [oldest] = this.idle.keys();
    if (this.idle.size > MAX_IDLE && oldest) void this.end(oldest);
  }

  /** Ends the threads that wait for a job. */
  async close(): Promise<void> {
    await Promise.all([...this.idle.keys()].map((thread) => this.end(thread)));
  }

  private async end(thread: JobThread): Promise<void> {
    this.remove(thread);
    await thread.end();
  }

  private remove(thread: JobThread): void {
    clearTimeout(this.idle.get(thread));
    this.idle.delete(thread);
  }
}

/** The threads of this process. */
export const threadPool = new ThreadPool();
