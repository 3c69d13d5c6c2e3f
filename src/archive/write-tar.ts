/** Writes the entries of the sources as a tar archive in the pax format. */
import { type OpenedEntry, openEntry } from './source-entry';
import { BLOCK, paddedSize, tarHeader } from './tar-header';
import { type WalkedEntry, isLostDisk, isSystemError } from './walk-sources';

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
  /** Path of the first entry that couldn't be read, in a source of which nothing but folders was read. */
  unread?: string;
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

/** @param summary is updated while the archive is written */
export async function writeTar(
  walked: AsyncIterable<WalkedEntry>,
  output: TarOutput,
  summary: ArchiveSummary,
): Promise<void> {
  await new TarWriter(output, summary).write(walked);
}

/** The end of an archive. */
const ZEROS = Buffer.alloc(2 * BLOCK);

class TarWriter {
  /** Path of the first entry of a file with several names, by device and inode, until all of its names were found. */
  private readonly hardLinks = new Map<string, { path: string; remaining: bigint }>();
  /** Of the source whose entries are being written. */
  private source: { name: string; hasContent: boolean; unread?: string } = { name: '', hasContent: false };

  constructor(
    private readonly output: TarOutput,
    private readonly summary: ArchiveSummary,
  ) {}

  async write(walked: AsyncIterable<WalkedEntry>): Promise<void> {
    for await (const each of walked) {
      const entry = openEntry(each);
      this.enterSource(entry.path);
      if ('skipped' in entry) {
        this.skip(entry.path, entry.skipped);
        continue;
      }
      if (entry.type !== 'directory') this.source.hasContent = true;
      try {
        await this.add(entry);
      } finally {
        entry.content?.close();
      }
    }
    this.leaveSource();
    await this.writeBytes(ZEROS);
  }

  private enterSource(path: string): void {
    const [name = ''] = path.split('/', 1);
    if (name === this.source.name) return;
    this.leaveSource();
    this.source = { name, hasContent: false };
  }

  private leaveSource(): void {
    const { hasContent, unread } = this.source;
    if (!hasContent && unread !== undefined) this.summary.unread ??= unread;
  }

  private skip(path: string, reason: string): void {
    this.summary.skipped.push({ path, reason });
    if (isLostDisk(reason)) this.summary.lost ??= path;
    if (isSystemError(reason)) this.source.unread ??= path;
  }

  private async add(entry: OpenedEntry): Promise<void> {
    const { path, content } = entry;
    const hardLink = this.findHardLink(entry);
    await this.writeBytes(tarHeader(entry, hardLink));
    if (content && hardLink === undefined) {
      while (content.remaining > 0) {
        const length = content.fill(await this.output.room());
        this.output.advance(length);
        this.summary.bytes += length;
      }
      const size = Number(content.stats.size);
      await this.writeBytes(ZEROS.subarray(0, paddedSize(size) - size));
    }
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

  private async writeBytes(bytes: Buffer): Promise<void> {
    for (let position = 0; position < bytes.length;) {
      const room = this.output.room();
      const copied = bytes.copy(room instanceof Buffer ? room : await room, 0, position);
      this.output.advance(copied);
      position += copied;
    }
  }
}
