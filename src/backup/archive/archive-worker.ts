/** The code of the worker thread for archives: see archive-thread.ts. */
import { createPathMatcher } from '../../core/globs/path-globs';
import { serveJobs, throttled } from '../../core/threads/serve-jobs';
import { readablePath } from '../../fs/path-bytes';
import { walkSources } from '../../fs/walk-sources';
import { type ExtractProgress, Extraction } from '../entries/extract';
import { type InspectJob, type Inspected, inspect } from '../entries/inspection';
import type { ArchiveTotals } from '../entries/listed-entry';
import { IndexCheck } from './archive-index';
import type {
  InspectHost,
  TarHost,
  TarJob,
  TarUpdate,
  UnpackHost,
  UnpackJob,
  UnpackResult,
} from './archive-thread';
import { IndexPages } from './index-format';
import { readArchive } from './read-archive';
import { type TarOutput, newSummary, writeTar } from './write-tar';

const BUFFERS = 3;
const BUFFER_SIZE = 256 * 1024;

/** Passes a few buffers back and forth. */
class BufferOutput implements TarOutput {
  readonly summary = newSummary();
  readonly index = new IndexPages();
  /** In the order in which they come back. */
  private readonly free = Array.from({ length: BUFFERS }, () =>
    Promise.resolve(new ArrayBuffer(BUFFER_SIZE)),
  );
  private current: Buffer | undefined;
  private length = 0;

  constructor(private readonly host: TarHost) {}

  room(): Buffer | Promise<Buffer> {
    return this.current ? this.current.subarray(this.length) : this.nextBuffer();
  }

  advance(length: number): void {
    this.length += length;
    if (this.length === this.current?.length) this.flush();
  }

  flush(): void {
    if (!this.current) return;
    const memory = this.current.buffer as ArrayBuffer;
    this.free.push(this.host.write(memory, this.length, this.update()));
    this.current = undefined;
    this.length = 0;
  }

  /** @returns what was found since the last call. Paths are for users. */
  update(): TarUpdate {
    const changed = this.summary.changed.splice(0).map(readablePath);
    const skipped = this.summary.skipped
      .splice(0)
      .map(({ path, reason }) => ({ path: readablePath(path), reason }));
    return { summary: { ...this.summary, changed, skipped }, pages: this.index.take() };
  }

  private async nextBuffer(): Promise<Buffer> {
    return (this.current = Buffer.from(await (this.free.shift() as Promise<ArrayBuffer>)));
  }
}

async function tar({ sources, exclude }: TarJob, host: TarHost): Promise<TarUpdate> {
  const output = new BufferOutput(host);
  const { summary, index } = output;
  await writeTar(walkSources({ sources, isExcluded: createPathMatcher(exclude) }), output, summary, index);
  output.flush();
  index.finishPage();
  return output.update();
}

export async function unpack(
  { source, places, include, stripTop, isCaseSensitive, creationMode, limits }: UnpackJob,
  host: UnpackHost,
): Promise<UnpackResult> {
  const onEntry = throttled((progress: ExtractProgress) => host.report(progress));
  const extraction = await Extraction.create(places, {
    archive: source.name,
    include: include.length > 0 ? createPathMatcher(include) : undefined,
    ...{ stripTop, isCaseSensitive, creationMode, onEntry },
  });
  try {
    const read = async (): Promise<IndexCheck> => {
      const comparison = new IndexCheck(source.name);
      const options = { ...limits, comparison };
      await readArchive(source, (entry, content) => extraction.add(entry, content), options);
      return comparison;
    };
    let comparison = await read();
    while (extraction.isIncomplete) {
      await extraction.restart();
      comparison = await read();
    }
    const indexProblem = await comparison.finish();
    await extraction.finish();
    const { progress, reserved, skipped } = extraction;
    return { progress, reserved, skipped, indexProblem };
  } catch (error) {
    await extraction.abandon();
    throw error;
  }
}

/** One message is on its way while the last one is read. */
async function* receive(host: InspectHost): AsyncGenerator<Buffer> {
  let next = host.read();
  for (let chunk = await next; chunk; chunk = await next) {
    next = host.read();
    yield chunk;
  }
}

function inspectArchive(job: InspectJob, host: InspectHost): Promise<Inspected> {
  const onEntry = throttled((totals: ArchiveTotals) => host.report(totals));
  return inspect(job, receive(host), { onEntry, send: (entries) => host.send(entries) });
}

serveJobs({ tar, unpack, inspect: inspectArchive });
