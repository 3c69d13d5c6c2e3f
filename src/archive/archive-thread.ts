/** The worker thread that reads and writes local files for archives. It delays nothing else in Node-RED. */
import { Worker } from 'node:worker_threads';
import { type ThreadError, fromThreadError } from './thread-error';

/** MiB. By default, a thread uses several times as much before it collects what it doesn't need any more. */
const YOUNG_GENERATION = 1;

/** A worker thread, and the messages that it sends: the last one is an error, or has `isComplete`. */
export class ArchiveThread<Message extends { isComplete?: boolean }> {
  private readonly worker: Worker;
  private readonly received: (Message | { error: ThreadError })[] = [];
  private failure: Error | undefined;
  private wake = (): void => undefined;
  private readonly exit: Promise<void>;
  private isDone = false;

  /**
   * @param file with the code of the thread
   * @param maxYoungGenerationSizeMb for its short-lived objects: more for a thread that has many of them
   */
  constructor(job: object, file: string, maxYoungGenerationSizeMb = YOUNG_GENERATION) {
    this.worker = new Worker(file, { workerData: job, resourceLimits: { maxYoungGenerationSizeMb } });
    this.worker.on('message', (message: Message) => {
      this.received.push(message);
      this.wake();
    });
    this.worker.on('error', (error) => this.fail(error));
    this.exit = new Promise<void>((resolve) => this.worker.on('exit', resolve)).then(() =>
      this.fail(new Error('the worker thread has ended')),
    );
  }

  /** @throws what the thread has thrown, or the reason of {@link fail} */
  async next(): Promise<Message> {
    for (;;) {
      const message = this.received.shift();
      if (message && ('error' in message || message.isComplete)) this.isDone = true;
      if (message && 'error' in message) throw fromThreadError(message.error);
      if (message) return message;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  give(buffer: ArrayBuffer): void {
    this.worker.postMessage(buffer, [buffer]);
  }

  /** @param transferred the memory that is passed on with the message */
  post(message: unknown, transferred: ArrayBuffer[] = []): void {
    this.worker.postMessage(message, transferred);
  }

  /** Makes {@link next} throw, once all messages were read. */
  fail(error: Error): void {
    this.failure ??= error;
    this.wake();
  }

  /**
   * Resolves when nothing runs any more. A thread that has sent its last message closes its files and ends by itself.
   */
  async end(): Promise<void> {
    await (this.isDone ? this.exit : this.worker.terminate());
  }
}
