/** The code of the worker thread for archives: see archive-thread.ts. */
import { createPathMatcher } from '../../core/globs/path-globs';
import { serveJobs, throttled } from '../../core/threads/serve-jobs';
import { DriveError } from '../../errors';
import { readablePath } from '../../fs/path-bytes';
import { walkSources } from '../../fs/walk-sources';
import type { ArchiveTotals, EntryVisitor } from '../entries/entry';
import { type ExtractProgress, Extraction } from '../entries/extract';
import { type Inspected, inspectEntries } from '../entries/inspection';
import { IndexCheck } from './archive-index';
import type {
  InspectHost,
  InspectJob,
  TarHost,
  TarJob,
  TarUpdate,
  UnpackHost,
  UnpackJob,
  UnpackResult,
} from './archive-thread';
import { damaged } from './open-archive';
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
    while (extraction.startNextPass()) comparison = await read();
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

/**
 * Reads an archive to its end.
 * @throws `bad_response` for an archive that is damaged, or contains what can't be restored safely; `invalid_input`, …
 */
async function inspect(job: InspectJob, host: InspectHost): Promise<Inspected> {
  const { name, lists } = job;
  const comparison = lists ? undefined : new IndexCheck(name);
  const chunks = receive(host);
  let last = '';
  const read = (visit: EntryVisitor): Promise<void> => {
    const visitNext: EntryVisitor = (entry, content) => {
      last = entry.name;
      return visit(entry, content);
    };
    // Nothing is written, so there is no limit for what is.
    return readArchive({ ...job, chunks }, visitNext, { maxRatio: 0, comparison });
  };
  const onEntry = throttled((totals: ArchiveTotals) => host.report(totals));
  const inspected = await inspectEntries(
    { ...job, read },
    { onEntry, send: (entries) => host.send(entries) },
  ).catch((error: unknown) => {
    throw atEntry(error, name, last);
  });
  const reason = await comparison?.finish();
  if (reason === undefined) return inspected;
  throw new DriveError('bad_response', { text: 'bad_response_archive_index', params: { name, reason } });
}

/** Adds after which entry the damage was noticed. */
function atEntry(error: unknown, archive: string, last: string): unknown {
  if (!(error instanceof DriveError) || last === '') return error;
  const { reason } = error.params;
  const at = `after ${readablePath(last).slice(0, 200)}`;
  if (error.text === 'bad_response_archive_damaged') return damaged(archive, `${String(reason)}, ${at}`);
  if (error.text === 'bad_response_archive_truncated') return damaged(archive, `truncated ${at}`);
  if (error.text === 'bad_response_age')
    return error.with({ params: { reason: `${String(reason)}, ${at}` } });
  return error;
}

serveJobs({ tar, unpack, inspect });
