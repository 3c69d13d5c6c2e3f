/** Writes the entries of the sources as a tar archive in the pax format. */
import type { Pack } from 'tar-stream';
import { BufferPool } from './buffer-pool';
import { loadTar } from './libraries';
import { type FileContent, type OpenedEntry, openEntry } from './source-entry';
import { type TarHeader, tarHeader } from './tar-header';
import { type WalkedEntry, isLostDisk } from './walk-sources';

/** What has been written so far, and what differs from the sources. */
export interface ArchiveSummary {
  entries: number;
  /** Bytes of the contents, before compression. */
  bytes: number;
  /** Paths of files that changed while they were read. */
  changed: string[];
  skipped: { path: string; reason: string }[];
  /** Path of the first entry that couldn't be read because its disk was lost. */
  lost?: string;
}

export function newSummary(): ArchiveSummary {
  return { entries: 0, bytes: 0, changed: [], skipped: [] };
}

/** Bytes of a buffer. Files up to this size are read ahead. */
const BUFFER_SIZE = 128 * 1024;
/** Entries that are opened ahead, because each takes several round trips to the thread pool. */
const READ_AHEAD = 8;
/** More than are read ahead, so that the current file always gets one. */
const BUFFERS = READ_AHEAD + 4;

/**
 * @param summary is updated while the archive is read
 * @returns the bytes of the archive. Their memory is reused after the next call.
 */
export async function* writeTar(
  walked: AsyncIterable<WalkedEntry>,
  summary: ArchiveSummary,
): AsyncGenerator<Buffer> {
  const pack = loadTar().pack();
  const pool = new BufferPool(BUFFERS, BUFFER_SIZE);
  const writing = new TarWriter(pack, pool, summary).write(walked).catch((error: unknown) => {
    pack.destroy(error as Error);
  });
  try {
    for await (const chunk of pack as AsyncIterable<Buffer>) {
      yield chunk;
      pool.release(chunk);
    }
  } finally {
    pack.destroy();
    pool.close();
    await writing;
  }
}

class TarWriter {
  /** Path of the first entry of a file with several names, by device and inode, until all of its names were found. */
  private readonly hardLinks = new Map<string, { path: string; remaining: bigint }>();

  constructor(
    private readonly pack: Pack,
    private readonly pool: BufferPool,
    private readonly summary: ArchiveSummary,
  ) {}

  async write(walked: AsyncIterable<WalkedEntry>): Promise<void> {
    const opened = readAhead(walked, (entry) => openEntry(entry, this.pool));
    for await (const entry of opened) {
      if ('skipped' in entry) {
        this.summary.skipped.push({ path: entry.path, reason: entry.skipped });
        if (isLostDisk(entry.skipped)) this.summary.lost ??= entry.path;
        continue;
      }
      try {
        await this.add(entry);
      } finally {
        await entry.content?.discard();
      }
    }
    this.pack.finalize();
  }

  private async add(entry: OpenedEntry): Promise<void> {
    const { path, content } = entry;
    const header = tarHeader(entry, this.findHardLink(entry));
    await this.writeEntry(header, content);
    this.summary.entries += 1;
    if (content?.hasChanged) this.summary.changed.push(path);
    if (isLostDisk(content?.failure)) this.summary.lost ??= path;
  }

  private findHardLink({ path, type, stats }: OpenedEntry): string | undefined {
    if (type !== 'file' || stats.nlink < 2n) return undefined;
    const key = `${stats.dev}:${stats.ino}`;
    const first = this.hardLinks.get(key);
    if (!first) {
      this.hardLinks.set(key, { path, remaining: stats.nlink - 1n });
      return undefined;
    }
    first.remaining -= 1n;
    if (first.remaining <= 0n) this.hardLinks.delete(key);
    return first.path;
  }

  private writeEntry(header: TarHeader, content: FileContent | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const sink = this.pack.entry(header, (error) => (error ? reject(error) : resolve()));
      sink.on('error', reject);
      if (header.type !== 'file') return;
      const writeContent = async (): Promise<void> => {
        for (let chunk = await content?.next(); chunk; chunk = await content?.next()) {
          this.summary.bytes += chunk.length;
          sink.write(chunk);
        }
        sink.end(null);
      };
      // Waiting for `drain` isn't necessary: the pool limits what is queued.
      writeContent().catch((error: unknown) => sink.destroy(error as Error));
    });
  }
}

type Opened = Awaited<ReturnType<typeof openEntry>>;

/** Opens the next entries while earlier ones are written, and yields them in order. */
async function* readAhead(
  walked: AsyncIterable<WalkedEntry>,
  open: (entry: WalkedEntry) => Promise<Opened>,
): AsyncGenerator<Opened> {
  const pending: Promise<Opened>[] = [];
  try {
    for await (const entry of walked) {
      const opening = open(entry);
      // Awaited below; until then, a rejection without a handler would end the process.
      opening.catch(() => undefined);
      pending.push(opening);
      const first = pending.length >= READ_AHEAD ? pending.shift() : undefined;
      if (first) yield await first;
    }
    for (let first = pending.shift(); first; first = pending.shift()) yield await first;
  } finally {
    for (const opening of pending) {
      const entry = await opening.catch(() => undefined);
      if (entry && 'content' in entry) await entry.content?.discard();
    }
  }
}
