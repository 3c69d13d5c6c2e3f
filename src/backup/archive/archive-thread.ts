/** Reads and writes local files for archives in a worker thread. Its side: archive-worker.ts. */
import type { ByteSink } from '../../core/buffers';
import { type ThreadCode, callThread } from '../../core/threads/call-thread';
import type { CallOptions } from '../../types';
import type { ExtractPlaces, ExtractProgress, ReservedEntries, SkippedEntry } from '../entries/extract';
import type { Inspected, Selection } from '../entries/inspection';
import type { ArchiveSource, NamedArchive } from './open-archive';
import type { ReadOptions } from './read-archive';
import type { ArchiveSummary } from './write-tar';
import type { ArchiveTotals, ListedEntry } from '../entries/entry';

type Cancellable = Pick<CallOptions, 'signal'>;

/** What is found while an archive is written: totals, what was added to the lists, and parts of the index. */
export interface TarUpdate {
  summary: ArchiveSummary;
  pages: Uint8Array[];
}

export interface TarJob {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Globs: see path-globs.ts. */
  exclude: readonly string[];
}

export interface TarHost {
  /** @param length bytes of the archive in the memory. @returns the memory, to be used again */
  write(memory: ArrayBuffer, length: number, update: TarUpdate): Promise<ArrayBuffer>;
}

export interface UnpackJob {
  source: Extract<ArchiveSource, { path: string }>;
  places: ExtractPlaces;
  /** Globs for entries: see path-globs.ts; none for all entries. */
  include: readonly string[];
  /** See {@link ExtractOptions}. */
  stripTop: boolean | undefined;
  isCaseSensitive: boolean;
  /** See {@link ExtractOptions}. */
  creationMode: number;
  limits: ReadOptions;
}

export interface UnpackHost {
  report(progress: ExtractProgress): Promise<void>;
}

export interface UnpackResult {
  progress: ExtractProgress;
  reserved: ReservedEntries;
  skipped: SkippedEntry[];
  /** Why the index of the archive can't be used. */
  indexProblem?: string | undefined;
}

export interface InspectJob extends NamedArchive, Selection {}

export interface InspectHost {
  /** @returns the next bytes of the archive; null at their end. One call at a time */
  read(): Promise<Buffer | null>;
  report(totals: ArchiveTotals): Promise<void>;
  /** Resolves when more entries may follow. */
  send(entries: ListedEntry[]): Promise<void>;
}

/** Messages that wait for the thread. */
const MAX_WAITING = 2;
/** Bytes of a message: the service's chunks are smaller. */
const MESSAGE_SIZE = 256 * 1024;

function archiveThread(): ThreadCode {
  return { file: require.resolve('./archive-worker'), maxYoungGenerationSizeMb: 1 };
}

/** Passes values on to one reader, in order. */
class Handoff<T> {
  readonly waiting: T[] = [];
  private end: { error?: Error } | undefined;
  private wake = (): void => undefined;

  put(value: T): void {
    this.waiting.push(value);
    this.wake();
  }

  close(error?: Error): void {
    this.end ??= error ? { error } : {};
    this.wake();
  }

  /** @returns undefined at the end. @throws the error that it was closed with */
  async take(): Promise<T | undefined> {
    while (this.waiting.length === 0 && !this.end)
      await new Promise<void>((resolve) => (this.wake = resolve));
    const value = this.waiting.shift();
    if (value === undefined && this.end?.error) throw this.end.error;
    return value;
  }
}

/**
 * The tar of a backup. In a thread, reading many small files doesn't wait for the thread pool.
 * @param summary is updated while the archive is read
 * @param onPages is called with parts of the index: see index-format.ts
 * @returns the bytes of the archive. Their memory is reused after the next call.
 */
export async function* readTar(
  job: TarJob,
  summary: ArchiveSummary,
  onPages: (pages: Uint8Array[]) => void,
): AsyncGenerator<Buffer> {
  const update = ({ summary: { changed, skipped, ...totals }, pages }: TarUpdate): void => {
    for (const each of changed) summary.changed.push(each);
    for (const each of skipped) summary.skipped.push(each);
    Object.assign(summary, totals);
    onPages(pages);
  };
  const aborter = new AbortController();
  const parts = new Handoff<{ bytes: Buffer; found: TarUpdate; release: () => void }>();
  const host: TarHost = {
    write: (memory, length, found) =>
      new Promise((resolve) => {
        parts.put({ bytes: Buffer.from(memory, 0, length), found, release: () => resolve(memory) });
      }),
  };
  const running = callThread<TarUpdate>(archiveThread(), { work: 'tar', ...job }, host, aborter);
  running.then(
    () => parts.close(),
    (error: Error) => parts.close(error),
  );
  try {
    for (let part = await parts.take(); part; part = await parts.take()) {
      update(part.found);
      yield part.bytes;
      part.release();
    }
    update(await running);
  } finally {
    aborter.abort();
    await running.catch(() => undefined);
  }
}

/**
 * Unpacks an archive into a folder.
 * @param onEntry is called from time to time, and at the end
 * @throws as {@link readArchive} and {@link Extraction}; `cancelled`
 */
export async function unpackInThread(
  job: UnpackJob,
  onEntry: ((progress: ExtractProgress) => void) | undefined,
  { signal }: Cancellable,
): Promise<UnpackResult> {
  const host = { report: (progress: ExtractProgress) => onEntry?.(progress) };
  const result = await callThread<UnpackResult>(archiveThread(), { work: 'unpack', ...job }, host, {
    signal,
  });
  onEntry?.(result.progress);
  return result;
}

export interface InspectOptions extends Cancellable {
  onEntry?: ((totals: ArchiveTotals) => void) | undefined;
  onEntries?: ((entries: ListedEntry[]) => Promise<void>) | undefined;
}

/** One inspection. The bytes of the archive are written to it. */
export class ArchiveInspection implements ByteSink {
  private readonly messages = new Handoff<Buffer>();
  private message = Buffer.allocUnsafeSlow(MESSAGE_SIZE);
  private filled = 0;
  private wake = (): void => undefined;
  private running: Promise<unknown> = Promise.resolve();
  /** Whether the thread takes no more bytes. Those that follow are ignored. */
  private hasEnded = false;

  constructor(
    private readonly job: InspectJob,
    private readonly options: InspectOptions,
  ) {}

  /** Call once. @throws `cancelled`, and the errors of the inspection */
  run(): Promise<Inspected> {
    const { onEntry, onEntries, signal } = this.options;
    const host = {
      read: () => this.read(),
      report: (totals: ArchiveTotals) => onEntry?.(totals),
      send: (entries: ListedEntry[]) => onEntries?.(entries),
    };
    const job = { work: 'inspect', ...this.job };
    const running = callThread<Inspected>(archiveThread(), job, host, { signal }).finally(() => {
      this.hasEnded = true;
      this.wake();
    });
    this.running = running.catch(() => undefined);
    return running;
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await this.running;
  }

  write(chunk: Buffer): boolean {
    for (let position = 0; position < chunk.length && !this.hasEnded;) {
      const copied = chunk.copy(this.message, this.filled, position);
      this.filled += copied;
      position += copied;
      if (this.filled < MESSAGE_SIZE) continue;
      this.messages.put(this.message);
      this.message = Buffer.allocUnsafeSlow(MESSAGE_SIZE);
      this.filled = 0;
    }
    return !this.isFull;
  }

  async drained(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  /** After the last byte of the archive. */
  finish(): void {
    if (this.filled > 0) this.messages.put(this.message.subarray(0, this.filled));
    this.messages.close();
  }

  private get isFull(): boolean {
    return !this.hasEnded && this.messages.waiting.length >= MAX_WAITING;
  }

  private async read(): Promise<Buffer | null> {
    const message = await this.messages.take();
    this.wake();
    return message ?? null;
  }
}
