/**
 * The tar of a backup, written in a worker thread, where reading many small files doesn't wait for the thread pool and
 * delays nothing else. A few buffers are passed to and fro.
 */
import { Worker } from 'node:worker_threads';
import { archiveWorkerFile } from './libraries';
import { type ThreadError, fromThreadError } from './thread-error';
import type { ArchiveSummary } from './write-tar';

export interface TarJob {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Globs: see search/path-globs.ts. */
  exclude: readonly string[];
}

export type TarMessage =
  | { buffer: ArrayBuffer; length: number; summary: ArchiveSummary }
  | { isComplete: true; summary: ArchiveSummary }
  | { error: ThreadError };

const BUFFERS = 4;
const BUFFER_SIZE = 512 * 1024;
/** MiB. By default, a thread may use several times as much before it collects what it doesn't need any more. */
const LIMITS = { maxYoungGenerationSizeMb: 16 };

/** @returns what was added to the lists since the last call, and the current totals */
export function summaryPart(summary: ArchiveSummary): ArchiveSummary {
  return { ...summary, changed: summary.changed.splice(0), skipped: summary.skipped.splice(0) };
}

/**
 * @param summary is updated while the archive is read
 * @returns the bytes of the archive. Their memory is reused after the next call.
 */
export async function* readTar(job: TarJob, summary: ArchiveSummary): AsyncGenerator<Buffer> {
  const worker = new Worker(archiveWorkerFile(), { workerData: job, resourceLimits: LIMITS });
  const messages = new Messages(worker);
  const give = (buffer: ArrayBuffer): void => worker.postMessage(buffer, [buffer]);
  try {
    for (let count = 0; count < BUFFERS; count++) give(new ArrayBuffer(BUFFER_SIZE));
    for (let message = await messages.next(); ; message = await messages.next()) {
      if ('error' in message) throw fromThreadError(message.error);
      addPart(summary, message.summary);
      if ('isComplete' in message) return;
      yield Buffer.from(message.buffer, 0, message.length);
      give(message.buffer);
    }
  } finally {
    await worker.terminate();
  }
}

function addPart(summary: ArchiveSummary, { changed, skipped, ...totals }: ArchiveSummary): void {
  summary.changed.push(...changed);
  summary.skipped.push(...skipped);
  Object.assign(summary, totals);
}

/** The messages of a worker, one after the other. */
class Messages {
  private readonly received: TarMessage[] = [];
  private wake = (): void => undefined;
  private failure: Error | undefined;

  constructor(worker: Worker) {
    worker.on('message', (message: TarMessage) => {
      this.received.push(message);
      this.wake();
    });
    const fail = (error: Error): void => {
      this.failure ??= error;
      this.wake();
    };
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('the worker thread has ended')));
  }

  /** @throws if the worker fails, for example for lack of memory */
  async next(): Promise<TarMessage> {
    for (;;) {
      const message = this.received.shift();
      if (message) return message;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
