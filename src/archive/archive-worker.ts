/** The code of the worker thread: see archive-thread.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { createPathMatcher } from '../search/path-globs';
import type { ArchiveJob, TarJob, UnpackJob } from './archive-job';
import { type TarMessage, summaryPart } from './tar-thread';
import { toThreadError } from './thread-error';
import { type UnpackMessage, unpack } from './unpack';
import { walkSources } from '../disk/walk-sources';
import { type TarOutput, newSummary, writeTar } from './write-tar';

class BufferOutput implements TarOutput {
  readonly summary = newSummary();
  private readonly free: ArrayBuffer[] = [];
  private wake = (): void => undefined;
  private current: Buffer | undefined;
  private length = 0;

  /** Gets a buffer, or gets one back. */
  add(buffer: ArrayBuffer): void {
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
    post({ buffer, length: this.length, summary: summaryPart(this.summary) }, [buffer]);
    this.current = undefined;
    this.length = 0;
  }

  private async nextBuffer(): Promise<Buffer> {
    while (this.free.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    return (this.current = Buffer.from(this.free.pop() as ArrayBuffer));
  }
}

function post(message: TarMessage | UnpackMessage, transferred: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

async function runTar({ sources, exclude }: TarJob): Promise<void> {
  const output = new BufferOutput();
  parentPort?.on('message', (buffer: ArrayBuffer) => output.add(buffer));
  await writeTar(walkSources({ sources, isExcluded: createPathMatcher(exclude) }), output, output.summary);
  output.flush();
  post({ isComplete: true, summary: summaryPart(output.summary) });
}

/** ms between messages about the progress. */
const PROGRESS_INTERVAL = 100;
/** ms */
const EXIT_TIMEOUT = 2_000;

async function runUnpack(job: UnpackJob): Promise<void> {
  let posted = -Infinity;
  const { progress, reserved } = await unpack(job, (current) => {
    if (performance.now() - posted < PROGRESS_INTERVAL) return;
    posted = performance.now();
    post({ progress: current, isComplete: false });
  });
  post({ progress, reserved, isComplete: true });
}

async function run(job: ArchiveJob): Promise<void> {
  try {
    await (job.work === 'tar' ? runTar(job) : runUnpack(job));
  } catch (error) {
    parentPort?.postMessage({ error: toThreadError(error) });
  }
  parentPort?.close();
  // The thread ends when all files are closed. This is for a mistake that would keep it alive.
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}

void run(workerData as ArchiveJob);
