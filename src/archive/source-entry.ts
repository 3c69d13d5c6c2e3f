/**
 * Opens the entries of an archive, which may change or vanish at any time. Synchronously, in a worker thread: for small
 * files, the round trips to the thread pool take ten times as long as reading them.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
} from 'node:fs';
import { errorCode } from '../errors';
import { type WalkedEntry, skipReason } from './walk-sources';

/** A path that has become a FIFO or a link since it was listed must neither block nor be followed. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

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
    const stats = lstatSync(localPath, { bigint: true });
    const hasType = type === 'directory' ? stats.isDirectory() : stats.isSymbolicLink();
    if (!hasType) return { path, skipped: 'vanished' };
    if (type === 'directory') return { path, type, stats };
    return { path, type, stats, linkname: readlinkSync(localPath) };
  } catch (error) {
    return { path, skipped: skipReason(error, path) };
  }
}

function openFile(path: string, localPath: string): OpenedEntry | { path: string; skipped: string } {
  const content = new FileContent(openSync(localPath, FLAGS));
  try {
    if (content.stats.isFile()) return { path, type: 'file', stats: content.stats, content };
  } catch (error) {
    content.close();
    throw error;
  }
  content.close();
  return { path, skipped: 'vanished' };
}

/** The content of a file: as many bytes as it had when it was opened, whatever happens to it while it is read. */
export class FileContent {
  /** Set when the file changed while it was read, or could not be read to its end. */
  hasChanged = false;
  /** Code of the system error that ended the reading. */
  failure: string | undefined;
  private position = 0;
  private openedStats: BigIntStats | undefined;

  constructor(private readonly fd: number) {}

  /** When it was opened. */
  get stats(): BigIntStats {
    return (this.openedStats ??= this.currentStats());
  }

  get remaining(): number {
    return Number(this.stats.size) - this.position;
  }

  /** Fills the buffer, but with no more than what remains. @returns the number of bytes */
  fill(buffer: Buffer): number {
    const chunk = buffer.subarray(0, Math.min(buffer.length, this.remaining));
    const filled = this.hasChanged ? 0 : this.read(chunk);
    // The header has announced the size, so what is missing is padded.
    if (filled < chunk.length) chunk.fill(0, filled);
    this.position += chunk.length;
    if (this.remaining === 0) this.checkUnchanged();
    return chunk.length;
  }

  close(): void {
    closeSync(this.fd);
  }

  private read(chunk: Buffer): number {
    let filled = 0;
    try {
      while (filled < chunk.length) {
        const length = chunk.length - filled;
        const bytesRead = readSync(this.fd, chunk, filled, length, this.position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      this.failure = errorCode(error);
    }
    if (filled < chunk.length) this.hasChanged = true;
    return filled;
  }

  private checkUnchanged(): void {
    const { size, mtimeNs } = this.currentStats();
    if (size !== this.stats.size || mtimeNs !== this.stats.mtimeNs) this.hasChanged = true;
  }

  private currentStats(): BigIntStats {
    return fstatSync(this.fd, { bigint: true });
  }
}
