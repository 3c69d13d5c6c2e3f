/** Opens the entries of an archive and reads their content, which may change or vanish at any time. */
import { type BigIntStats, close, constants, fstat, open, read } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorCode } from '../errors';
import type { BufferPool } from './buffer-pool';
import { type WalkedEntry, skipReason } from './walk-sources';

/** Without the cost of a FileHandle, which matters for thousands of small files. */
const fs = { open: promisify(open), close: promisify(close), read: promisify(read) };
const stat = (fd: number): Promise<BigIntStats> =>
  new Promise((resolve, reject) =>
    fstat(fd, { bigint: true }, (error, stats) => (error ? reject(error) : resolve(stats))),
  );

/** A path that has become a FIFO or a link since it was listed must neither block nor be followed. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

export interface OpenedEntry {
  path: string;
  type: 'file' | 'directory' | 'symlink';
  stats: BigIntStats;
  /** Target of a symbolic link. */
  linkname?: string;
  /** Of a file: exactly as many bytes as `stats.size`. */
  content?: FileContent;
}

/** @returns the entry, which must be closed if it has content */
export async function openEntry(
  entry: WalkedEntry,
  pool: BufferPool,
): Promise<OpenedEntry | { path: string; skipped: string }> {
  if ('skipped' in entry) return entry;
  const { path, type, localPath } = entry;
  try {
    if (type === 'file') return await openFile(path, localPath, pool);
    const stats = await lstat(localPath, { bigint: true });
    const hasType = type === 'directory' ? stats.isDirectory() : stats.isSymbolicLink();
    if (!hasType) return { path, skipped: 'vanished' };
    if (type === 'directory') return { path, type, stats };
    return { path, type, stats, linkname: await readlink(localPath) };
  } catch (error) {
    return { path, skipped: skipReason(error, path) };
  }
}

async function openFile(
  path: string,
  localPath: string,
  pool: BufferPool,
): Promise<OpenedEntry | { path: string; skipped: string }> {
  const fd = await fs.open(localPath, FLAGS);
  try {
    const stats = await stat(fd);
    if (stats.isFile()) {
      const content = new FileContent(fd, stats, pool);
      await content.readIfSmall();
      return { path, type: 'file', stats, content };
    }
  } catch (error) {
    await fs.close(fd);
    throw error;
  }
  await fs.close(fd);
  return { path, skipped: 'vanished' };
}

/** The content of a file: as many bytes as it had when it was opened, whatever happens to it while it is read. */
export class FileContent {
  /** Set when the file changed while it was read, or could not be read to its end. */
  hasChanged = false;
  /** Code of the system error that ended the reading. */
  failure: string | undefined;
  private position = 0;
  private readonly size: number;
  private small: Buffer | undefined;
  private fd: number | undefined;

  constructor(
    fd: number,
    private readonly stats: BigIntStats,
    private readonly pool: BufferPool,
  ) {
    this.fd = fd;
    this.size = Number(stats.size);
  }

  /** Reads a file that fits into one buffer and closes it, so that small files can be read ahead. */
  async readIfSmall(): Promise<void> {
    if (this.size === 0) return this.close();
    const buffer = await this.pool.acquire();
    if (this.size >= buffer.length) return this.pool.release(buffer);
    // One byte more shows whether the file has grown, without another round trip to the thread pool. A single read isn't
    // torn by writes of the same length.
    const filled = await this.read(buffer.subarray(0, this.size + 1), this.size);
    if (filled > this.size) this.hasChanged = true;
    this.position = this.size;
    this.small = buffer.subarray(0, this.size).fill(0, Math.min(filled, this.size));
    await this.close();
  }

  /** @returns the next bytes in a buffer of the pool, undefined at the end */
  async next(): Promise<Buffer | undefined> {
    const { small } = this;
    if (small) {
      this.small = undefined;
      return small;
    }
    if (this.position >= this.size) return undefined;
    return this.fill(await this.pool.acquire());
  }

  async close(): Promise<void> {
    const { fd } = this;
    this.fd = undefined;
    if (fd !== undefined) await fs.close(fd);
  }

  /** Releases the buffer of content that isn't read. */
  async discard(): Promise<void> {
    if (this.small) this.pool.release(this.small);
    this.small = undefined;
    await this.close();
  }

  private async fill(buffer: Buffer): Promise<Buffer> {
    const chunk = buffer.subarray(0, Math.min(buffer.length, this.size - this.position));
    const filled = this.hasChanged ? 0 : await this.read(chunk, chunk.length);
    // The header has announced the size, so what is missing is padded.
    if (filled < chunk.length) chunk.fill(0, filled);
    this.position += chunk.length;
    if (this.position >= this.size) await this.checkUnchanged();
    return chunk;
  }

  /** @param least bytes without which the file has become shorter. @returns the number of bytes read */
  private async read(chunk: Buffer, least: number): Promise<number> {
    let filled = 0;
    try {
      while (filled < least && this.fd !== undefined) {
        const remaining = chunk.length - filled;
        const { bytesRead } = await fs.read(this.fd, chunk, filled, remaining, this.position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } catch (error) {
      this.failure = errorCode(error);
    }
    if (filled < least) this.hasChanged = true;
    return filled;
  }

  private async checkUnchanged(): Promise<void> {
    if (this.fd === undefined || this.hasChanged) return;
    const { size, mtimeNs } = await stat(this.fd);
    if (size !== this.stats.size || mtimeNs !== this.stats.mtimeNs) this.hasChanged = true;
  }
}
