/** Worker threads that are kept for the next job, because starting a thread takes longer than a small job. */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { END, type StartMessage } from './worker';

/** ms. Short, because a thread keeps the memory of its last job. */
const IDLE_TIME = 2_000;
/** Threads that wait for a job. */
const MAX_IDLE = 2;

/** What a thread reports to the job that it runs. */
interface ThreadUser {
  /** The thread doesn't run anything any more. */
  onIdle(): void;
  onExit(reason: Error): void;
}

/** A thread, which does one job after the other. */
export class JobThread {
  /** Resolves when the thread has ended. */
  readonly exit: Promise<void>;
  /** Of an error that nothing caught: it will end, or has ended. */
  hasFailed = false;
  hasExited = false;
  private readonly worker: Worker;
  private user: ThreadUser | undefined;

  /**
   * @param file with the code of the thread
   * @param maxYoungGenerationSizeMb for its short-lived objects
   */
  constructor(
    readonly file: string,
    maxYoungGenerationSizeMb: number,
  ) {
    this.worker = new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb } });
    let reason = new Error('the worker thread has ended');
    this.worker.on('error', (error) => {
      reason = error;
      this.hasFailed = true;
    });
    this.worker.on('message', () => this.user?.onIdle());
    this.exit = new Promise((resolve) =>
      this.worker.on('exit', () => {
        this.hasExited = true;
        this.user?.onExit(reason);
        resolve();
      }),
    );
  }

  get isUsable(): boolean {
    return !this.hasFailed && !this.hasExited;
  }

  /** @returns the port for the messages of this job, so that none of them reaches the next one. Close it. */
  start(job: object, user: ThreadUser): MessagePort {
    this.user = user;
    this.worker.ref();
    const { port1, port2 } = new MessageChannel();
    this.worker.postMessage({ job, port: port2 } satisfies StartMessage, [port2]);
    return port1;
  }

  /** After a job. The process doesn't wait for the thread. */
  rest(): void {
    this.user = undefined;
    this.worker.unref();
  }

  /** Resolves when the thread has closed its files and ended. */
  async end(): Promise<void> {
    this.worker.postMessage(END);
    await this.exit;
  }

  async terminate(): Promise<void> {
    await this.worker.terminate();
  }
}

export class ThreadPool {
  private readonly idle = new Map<JobThread, NodeJS.Timeout>();

  constructor(private readonly idleTime = IDLE_TIME) {}

  /** @returns a thread that runs nothing */
  take(file: string, maxYoungGenerationSizeMb: number): JobThread {
    const kept = [...this.idle.keys()].find((thread) => thread.file === file && thread.isUsable);
    if (!kept) return new JobThread(file, maxYoungGenerationSizeMb);
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
