/**
 * Opens the files and folders of a backup's sources, which may change or vanish at any time. Synchronously, in a worker thread: for small
 * files, the round trips to the thread pool take ten times as long as reading them.
 */
import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync, readSync, readlinkSync } from 'node:fs';
import { errorCode } from '../../errors';
import { decodePath, diskPath } from '../../fs/path-bytes';
import { READ_UNLINKED_FLAGS } from '../../fs/pinned-folder';
import { type EntryType, type WalkedEntry, skipReason } from '../../fs/walk-sources';

export interface OpenedEntry {
  path: string;
  type: 'file' | 'directory' | 'symlink';
  stats: BigIntStats;
  /** Target of a symbolic link. */
  linkname?: string;
  /** Of a file. */
  content?: FileContent;
}

/** @returns the entry, whose content must be closed if it has any */
export function openEntry(entry: WalkedEntry): OpenedEntry | { path: string; skipped: string } {
  if ('skipped' in entry) return entry;
  const { path, type, localPath } = entry;
  try {
    if (type === 'file') return openFile(path, localPath);
    const stats = lstatSync(diskPath(localPath), { bigint: true });
    const hasType = type === 'directory' ? stats.isDirectory() : stats.isSymbolicLink();
    if (!hasType) return { path, skipped: 'vanished' };
    if (type === 'directory') return { path, type, stats };
    const linkname = decodePath(readlinkSync(diskPath(localPath), { encoding: 'buffer' }));
    return { path, type, stats, linkname };
  } catch (error) {
    return { path, skipped: skipReason(error, path, isThere(type, localPath)) };
  }
}

function isThere(type: EntryType, localPath: string): boolean {
  try {
    const stats = lstatSync(diskPath(localPath));
    return type === 'file'
      ? stats.isFile()
      : type === 'directory'
        ? stats.isDirectory()
        : stats.isSymbolicLink();
  } catch {
    return false;
  }
}

function openFile(path: string, localPath: string): OpenedEntry | { path: string; skipped: string } {
  const content = new FileContent(openSync(diskPath(localPath), READ_UNLINKED_FLAGS));
  try {
    if (content.stats.isFile()) {
      content.readStart();
      return { path, type: 'file', stats: content.stats, content };
    }
  } catch (error) {
    content.close();
    throw error;
  }
  content.close();
  return { path, skipped: 'vanished' };
}

/** The start of the file that is being read. Only one file is open at a time. */
const start = Buffer.alloc(64 * 1024);

/** The content of a file: as many bytes as it had when it was opened, whatever happens to it while it is read. */
export class FileContent {
  /** Set when the file changed while it was read. */
  hasChanged = false;
  /** Code of the system error that ended the reading. */
  failure: string | undefined;
  private position = 0;
  /** Bytes in {@link start}. */
  private startLength = 0;
  private openedStats: BigIntStats | undefined;

  constructor(private readonly fd: number) {}

  /** When it was opened. */
  get stats(): BigIntStats {
    return (this.openedStats ??= this.currentStats());
  }

  get remaining(): number {
    return Number(this.stats.size) - this.position;
  }

  /**
   * Reads the start before the header is written, which announces the size: most files that can't be read are
   * recognized while the archive can still do without them. At least one byte, because some have content although their
   * size is 0.
   * @throws the error of the system
   */
  readStart(): void {
    const expected = Math.min(start.length, this.remaining);
    const length = this.read(start.subarray(0, Math.max(1, expected)), 0);
    if (length > expected) this.hasChanged = true;
    this.startLength = Math.min(length, expected);
  }

  /** Fills the buffer, but with no more than what remains. @returns the number of bytes */
  fill(buffer: Buffer): number {
    const chunk = buffer.subarray(0, Math.min(buffer.length, this.remaining));
    const filled = this.hasChanged || this.failure !== undefined ? 0 : this.fillFromFile(chunk);
    // The header has announced the size, so what is missing is padded.
    if (filled < chunk.length) chunk.fill(0, filled);
    this.position += chunk.length;
    return chunk.length;
  }

  /** Call after the last {@link fill}. */
  finish(): void {
    if (this.failure !== undefined) return;
    try {
      const { size, mtimeNs } = this.currentStats();
      if (size !== this.stats.size || mtimeNs !== this.stats.mtimeNs) this.hasChanged = true;
    } catch (error) {
      this.failure = failureOf(error);
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  private fillFromFile(chunk: Buffer): number {
    const isInStart = this.position < this.startLength;
    const copied = isInStart ? start.copy(chunk, 0, this.position, this.startLength) : 0;
    try {
      const filled = copied + this.read(chunk.subarray(copied), this.position + copied);
      if (filled < chunk.length) this.hasChanged = true;
      return filled;
    } catch (error) {
      this.failure = failureOf(error);
      return copied;
    }
  }

  /** @returns less than the length of the chunk at the end of the file */
  private read(chunk: Buffer, position: number): number {
    let filled = 0;
    while (filled < chunk.length) {
      const bytesRead = readSync(this.fd, chunk, filled, chunk.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  private currentStats(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }
}

function failureOf(error: unknown): string {
  return errorCode(error) ?? 'unknown';
}

/**
 * Identifies a file with several names. Different if the file was changed meanwhile, which its other name must not hide,
 * or removed, so that another file may have its inode.
 */
export function fileKey({ dev, ino, nlink, size, ctimeNs }: BigIntStats): string {
  return [dev, ino, nlink, size, ctimeNs].join(':');
}
