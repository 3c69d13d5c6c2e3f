/** The code of the worker thread: see archive-thread.ts. */
import type { MessagePort } from 'node:worker_threads';
import { createPathMatcher } from '../../core/globs/path-globs';
import type { ArchiveJob, TarJob, UnpackJob } from './archive-job';
import type { FeedMessage, InspectMessage } from './inspect-thread';
import { type InspectJob, inspect } from '../entries/inspection';
import type { ExtractProgress } from '../entries/extract';
import { IndexPages } from './index-format';
import type { ArchiveTotals } from '../entries/listed-entry';
import { type TarMessage, summaryPart } from './tar-thread';
import { type UnpackMessage, unpack } from './unpack-thread';
import { serveJobs, throttled } from '../../core/threads/worker';
import { walkSources } from '../../fs/walk-sources';
import { type TarOutput, newSummary, writeTar } from './write-tar';

class BufferOutput implements TarOutput {
  readonly summary = newSummary();
  readonly index = new IndexPages();
  private readonly free: ArrayBuffer[] = [];
  private wake = (): void => undefined;
  private current: Buffer | undefined;
  private length = 0;

  constructor(private readonly port: MessagePort) {
    port.on('message', (buffer: ArrayBuffer) => this.add(buffer));
  }

  /** Gets a buffer, or gets one back. */
  private add(buffer: ArrayBuffer): void {
    this.free.push(buffer);
    this.wake();
  }

  room(): Buffer | Promise<Buffer> {
    return this.current ? this.current.subarray(this.length) : this.nextBuffer();
  }

  advance(length: number): void {
    this.length += length;
    if (this.length === this.current?.length) this.flush();
  }

  flush(): void {
    const buffer = this.current?.buffer as ArrayBuffer | undefined;
    if (!buffer) return;
    const message = {
      buffer,
      length: this.length,
      summary: summaryPart(this.summary),
      pages: this.index.take(),
    };
    this.port.postMessage(message satisfies TarMessage, [buffer]);
    this.current = undefined;
    this.length = 0;
  }

  private async nextBuffer(): Promise<Buffer> {
    while (this.free.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return (this.current = Buffer.from(this.free.pop() as ArrayBuffer));
  }
}

async function runTar({ sources, exclude }: TarJob, port: MessagePort): Promise<void> {
  const output = new BufferOutput(port);
  const { summary, index } = output;
  await writeTar(walkSources({ sources, isExcluded: createPathMatcher(exclude) }), output, summary, index);
  output.flush();
  index.finishPage();
  const message = { isComplete: true as const, summary: summaryPart(summary), pages: index.take() };
  port.postMessage(message satisfies TarMessage);
}

async function runUnpack(job: UnpackJob, port: MessagePort): Promise<void> {
  const post = (message: UnpackMessage): void => port.postMessage(message);
  const showProgress = throttled((progress: ExtractProgress) => post({ progress, isComplete: false }));
  post({ ...(await unpack(job, showProgress)), isComplete: true });
}

/** The bytes that the main thread sends, and its answers. */
class Feed implements AsyncIterable<Buffer> {
  private readonly received: (ArrayBuffer | null)[] = [];
  private permits = 0;
  private wake = (): void => undefined;

  constructor(private readonly port: MessagePort) {
    port.on('message', (message: FeedMessage) => {
      if (message === 'more') this.permits += 1;
      else this.received.push(message);
      this.wake();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      await this.until(() => this.received.length > 0);
      const buffer = this.received.shift();
      if (!buffer) return;
      const { byteLength: taken } = buffer;
      yield Buffer.from(buffer);
      this.port.postMessage({ taken, isComplete: false } satisfies InspectMessage);
    }
  }

  /** Until the main thread has passed on the last entries. */
  async permit(): Promise<void> {
    await this.until(() => this.permits > 0);
    this.permits -= 1;
  }

  private async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

async function runInspect(job: InspectJob, port: MessagePort): Promise<void> {
  const feed = new Feed(port);
  const post = (message: InspectMessage): void => port.postMessage(message);
  const showProgress = throttled((totals: ArchiveTotals) => post({ totals, isComplete: false }));
  const inspected = await inspect(job, feed, {
    onEntry: showProgress,
    send: async (entries) => {
      post({ entries, isComplete: false });
      await feed.permit();
    },
  });
  post({ ...inspected, isComplete: true });
}

async function run(job: ArchiveJob, port: MessagePort): Promise<void> {
  if (job.work === 'tar') await runTar(job, port);
  else await (job.work === 'unpack' ? runUnpack(job, port) : runInspect(job, port));
}

serveJobs(run);
