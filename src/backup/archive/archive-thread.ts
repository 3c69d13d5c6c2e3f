/** A job in a worker thread, which reads and writes local files for archives. It delays nothing else in Node-RED. */
import type { MessagePort } from 'node:worker_threads';
import { type ThreadError, fromThreadError } from '../../core/threads/thread-error';
import { type JobThread, type ThreadPool, threadPool } from '../../core/threads/thread-pool';

/** MiB. By default, a thread uses several times as much before it collects what it doesn't need any more. */
const YOUNG_GENERATION = 1;

interface ThreadOptions {
  /** For the short-lived objects of a thread: more for one that has many of them. The same for all jobs of a file. */
  maxYoungGenerationSizeMb?: number;
  pool?: ThreadPool;
}

/** A job, and the messages that its thread sends: the last one is an error, or has `isComplete`. */
export class ArchiveThread<Message extends { isComplete?: boolean }> {
  private readonly thread: JobThread;
  private readonly pool: ThreadPool;
  private readonly port: MessagePort;
  private readonly received: (Message | { error: ThreadError })[] = [];
  private failure: Error | undefined;
  private wake = (): void => undefined;
  /** Resolves when the thread doesn't run anything any more. */
  private readonly idle: Promise<void>;
  private state: 'running' | 'failed' | 'succeeded' = 'running';

  /** @param file with the code of the thread */
  constructor(
    job: object,
    file: string,
    { maxYoungGenerationSizeMb = YOUNG_GENERATION, pool = threadPool }: ThreadOptions = {},
  ) {
    this.pool = pool;
    this.thread = pool.take(file, maxYoungGenerationSizeMb);
    let onIdle = (): void => undefined;
    this.idle = new Promise((resolve) => (onIdle = resolve));
    this.port = this.thread.start(job, {
      onIdle,
      onExit: (reason) => {
        this.fail(reason);
        onIdle();
      },
    });
    this.port.on('message', (message: Message) => {
      this.received.push(message);
      this.wake();
    });
  }

  /** @throws what the thread has thrown, or the reason of {@link fail} */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.received.shift();
      if (message && 'error' in message) {
        this.state = 'failed';
        throw fromThreadError(message.error);
      }
      if (message?.isComplete) this.state = 'succeeded';
      if (message) return message;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  give(buffer: ArrayBuffer): void {
    this.port.postMessage(buffer, [buffer]);
  }

  /** @param transferred the memory that is passed on with the message */
  post(message: unknown, transferred: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transferred);
  }

  /** Makes {@link next} throw, once all messages were read. */
  fail(error: Error): void {
    this.failure ??= error;
    this.wake();
  }

  /** Resolves when nothing runs any more. Only a thread that has succeeded is used again. */
  async end(): Promise<void> {
    if (this.state === 'running') await this.thread.terminate();
    else await this.idle;
    this.port.close();
    if (this.thread.hasExited) return;
    if (this.state === 'succeeded') this.pool.keep(this.thread);
    else await this.thread.end();
  }
}
