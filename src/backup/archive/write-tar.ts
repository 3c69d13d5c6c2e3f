/** Writes the entries of the sources as a tar archive in the pax format. */
import { type FileContent, type OpenedEntry, fileKey, openEntry } from '../entries/source-entry';
import type { IndexPages, IndexedEntry } from './index-format';
import { BLOCK, paddedSize, tarHeader } from './tar-header';
import type { WalkedEntry } from '../../fs/walk-sources';

/** What has been written so far, and what differs from the sources. */
export interface ArchiveSummary {
  entries: number;
  /** Bytes of the contents, before compression. */
  bytes: number;
  /** Paths of files that changed while they were read. */
  changed: string[];
  /** `reason`: see {@link WalkedEntry}. */
  skipped: { path: string; reason: string }[];
}

export function newSummary(): ArchiveSummary {
  return { entries: 0, bytes: 0, changed: [], skipped: [] };
}

/** Where the archive is written to. */
export interface TarOutput {
  /** Memory for the next bytes, at least one. May wait until there is some. */
  room(): Buffer | Promise<Buffer>;
  /** Says how much of {@link room} was filled. */
  advance(length: number): void;
}

/** @param summary is updated while the archive is written, as is the index */
export async function writeTar(
  walked: AsyncIterable<WalkedEntry>,
  output: TarOutput,
  summary: ArchiveSummary,
  index?: IndexPages,
): Promise<void> {
  await new TarWriter(output, summary, index).write(walked);
}

/** The end of an archive. */
const ZEROS = Buffer.alloc(2 * BLOCK);

class TarWriter {
  /** Path of the first entry of a file with several names, by {@link fileKey}, until all of its names were found. */
  private readonly hardLinks = new Map<string, { path: string; remaining: bigint }>();

  constructor(
    private readonly output: TarOutput,
    private readonly summary: ArchiveSummary,
    private readonly index: IndexPages | undefined,
  ) {}

  async write(walked: AsyncIterable<WalkedEntry>): Promise<void> {
    for await (const each of walked) {
      const entry = openEntry(each);
      if ('skipped' in entry) {
        this.skip(entry.path, entry.skipped);
        continue;
      }
      try {
        await this.add(entry);
      } finally {
        entry.content?.close();
      }
    }
    await this.writeBytes(ZEROS);
  }

  private skip(path: string, reason: string): void {
    this.summary.skipped.push({ path, reason });
  }

  private async add(entry: OpenedEntry): Promise<void> {
    const { path, content } = entry;
    const hardLink = this.findHardLink(entry);
    await this.writeHeader(entry, hardLink);
    if (content && hardLink === undefined) await this.addContent(content);
    if (content?.failure !== undefined) return this.replaceFailed(entry, content.failure);
    this.summary.entries += 1;
    if (content?.hasChanged) this.summary.changed.push(path);
  }

  private async addContent(content: FileContent): Promise<void> {
    while (content.remaining > 0) {
      const length = content.fill(await this.output.room());
      this.output.advance(length);
      this.summary.bytes += length;
    }
    content.finish();
    const size = Number(content.stats.size);
    await this.writeBytes(ZEROS.subarray(0, paddedSize(size) - size));
  }

  /**
   * Adds an empty file of the same name, which replaces the one with a part of the content when the archive is
   * unpacked. That one can't be taken back, and would look complete: it has its size, with zeros in place of what is
   * missing.
   */
  private async replaceFailed(entry: OpenedEntry, reason: string): Promise<void> {
    const { path, stats } = entry;
    // Its other names are read again, not linked to it.
    this.hardLinks.delete(fileKey(stats));
    await this.writeHeader({ path, type: 'file', stats: Object.assign(stats, { size: 0n }) });
    this.skip(path, reason);
  }

  private findHardLink({ path, type, stats }: OpenedEntry): string | undefined {
    if (type !== 'file' || stats.nlink < 2n) return undefined;
    const key = fileKey(stats);
    const first = this.hardLinks.get(key);
    if (!first) {
      this.hardLinks.set(key, { path, remaining: stats.nlink - 1n });
      return undefined;
    }
    first.remaining -= 1n;
    if (first.remaining <= 0n) this.hardLinks.delete(key);
    return first.path;
  }

  private async writeHeader(entry: OpenedEntry, hardLink?: string): Promise<void> {
    const header = tarHeader(entry, hardLink);
    this.index?.add(toIndexed(entry, header.length / BLOCK, hardLink));
    await this.writeBytes(header);
  }

  private async writeBytes(bytes: Buffer): Promise<void> {
    for (let position = 0; position < bytes.length;) {
      const room = this.output.room();
      const copied = bytes.copy(Buffer.isBuffer(room) ? room : await room, 0, position);
      this.output.advance(copied);
      position += copied;
    }
  }
}

const INDEXED_TYPES = { file: 'file', directory: 'folder', symlink: 'symlink' } as const;

function toIndexed(
  { path, type, stats, linkname = '' }: OpenedEntry,
  headers: number,
  hardLink: string | undefined,
): IndexedEntry {
  return {
    path,
    headers,
    type: hardLink === undefined ? INDEXED_TYPES[type] : 'link',
    size: type === 'file' && hardLink === undefined ? Number(stats.size) : 0,
    time: Number(stats.mtimeNs / MILLISECOND) - (stats.mtimeNs % MILLISECOND < 0n ? 1 : 0),
    mode: Number(stats.mode & 0o7777n),
    target: hardLink ?? linkname,
  };
}

/** In ns. */
const MILLISECOND = 1_000_000n;
