/** The content of an upload. It can be read repeatedly, from any byte. */
import type { BigIntStats } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { freeBuffer } from '../../core/buffers';
import { DriveError } from '../../errors';
import { openInside } from '../../fs/pinned-folder';
import { localFileError } from '../../fs/local-file-error';

/**
 * `within`: the folder that has to contain the file, see fs/pinned-folder.ts. `temporary`: an open file without a
 * name, which is closed after the upload. `sha256`: in hexadecimal, if it is known.
 */
export type Content =
  { path: string; within?: string } | { data: Buffer | string; sha256?: string } | { temporary: FileHandle };

/**
 * @returns the next chunk, undefined at the end. Its memory is reused: the content stays valid only during the next two
 * calls.
 */
export type ChunkReader = () => Promise<Buffer | undefined>;

export interface Source {
  /** Bytes. */
  readonly length: number;
  /** Of the content, in hexadecimal, if it needn't be computed. */
  readonly sha256?: string | undefined;
  /** Undefined for data from memory. */
  readonly modifiedTime: Date | undefined;
  /** Changes with the file on disk. Undefined for content that a later run can't read again. */
  readonly fingerprint: string | undefined;
  /** Reads from `start` up to `end`, by default to the end of the content. */
  readFrom(start: number, end?: number): ChunkReader;
  /**
   * Frees the memory of a single reader, for which the garbage collector takes many uploads. Only for content that the
   * service has proved to have, with its checksum: otherwise a socket may still use the memory.
   */
  free(): void;
  close(): Promise<void>;
}

/** Bytes. Smaller chunks cost more CPU time than everything else in an upload. */
const CHUNK_SIZE = 1024 * 1024;
/** One chunk is in the socket, one in the stream, one is read ahead, and one is in reserve. */
const BUFFER_COUNT = 4;
/** Bytes to read from a file that doesn't report its size. Large enough for the usual files of procfs. */
const UNSIZED_LIMIT = 5_000_000;

/** @throws `local_file` if the file can't be read or isn't a regular file */
export async function openSource(content: Content): Promise<Source> {
  if ('temporary' in content) {
    const { temporary } = content;
    return new FileSource('temporary file', temporary, await temporary.stat({ bigint: true }));
  }
  if ('path' in content) return openSourceFile(content);
  const { data, sha256 } = content;
  return new MemorySource(typeof data === 'string' ? Buffer.from(data, 'utf8') : data, undefined, sha256);
}

/** Checks the content before anything is created on the drive. @throws as {@link openSource} */
export async function checkSource(content: Content): Promise<void> {
  if ('path' in content) await (await openSourceFile(content)).close();
}

async function openSourceFile({ path, within }: { path: string; within?: string }): Promise<Source> {
  try {
    // Before `open`, which may have an effect on a device.
    checkRegular(await stat(path), path);
    const handle = await openInside(path, within);
    try {
      const stats = await handle.stat({ bigint: true });
      checkRegular(stats, path);
      if (stats.size > 0n) return new FileSource(path, handle, stats);
      return await readUnsized(path, handle, stats);
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw localFileError(error, path, { ENOENT: 'local_file_no_source' });
  }
}

function checkRegular(stats: { isFile(): boolean; isDirectory(): boolean }, path: string): void {
  if (stats.isFile()) return;
  const text = stats.isDirectory() ? 'local_file_is_folder' : 'local_file_not_regular';
  throw new DriveError('local_file', { text, params: { path } });
}

/**
 * Files of procfs report a size of 0 whatever they contain: https://man7.org/linux/man-pages/man5/proc.5.html. Their
 * content is read into memory; an empty file is the same case without content.
 * @throws `local_file` also for a file that was empty only because a program is about to write it
 */
async function readUnsized(path: string, handle: FileHandle, stats: BigIntStats): Promise<Source> {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(64 * 1024), 0, null, null);
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > UNSIZED_LIMIT) {
      const params = { path, reason: 'unknown size' };
      throw new DriveError('local_file', { text: 'local_file_unknown_size', params });
    }
  }
  if ((await handle.stat()).size > 0) throw changedFile(path);
  await handle.close();
  return new MemorySource(Buffer.concat(chunks, length), modifiedTimeOf(stats));
}

class MemorySource implements Source {
  readonly fingerprint = undefined;

  constructor(
    private readonly data: Buffer,
    readonly modifiedTime: Date | undefined = undefined,
    readonly sha256?: string,
  ) {}

  get length(): number {
    return this.data.length;
  }

  readFrom(start: number, end = this.length): ChunkReader {
    let position = start;
    return () => {
      if (position >= end) return Promise.resolve(undefined);
      const chunk = this.data.subarray(position, Math.min(end, position + CHUNK_SIZE));
      position += chunk.length;
      return Promise.resolve(chunk);
    };
  }

  /** The data may belong to a message. */
  free(): void {}

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Keeps one handle open for the whole upload, so that a file that replaces this one under its path is not mixed in. */
class FileSource implements Source {
  readonly length: number;
  readonly modifiedTime: Date;
  readonly fingerprint: string;
  /** Of each reader. */
  private readonly buffers: Buffer[][] = [];

  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly stats: BigIntStats,
  ) {
    this.length = Number(stats.size);
    this.modifiedTime = modifiedTimeOf(stats);
    this.fingerprint = `${stats.size} ${stats.mtimeNs}`;
  }

  readFrom(start: number, end = this.length): ChunkReader {
    const size = Math.min(CHUNK_SIZE, end - start);
    const buffers: Buffer[] = [];
    this.buffers.push(buffers);
    let position = start;
    let index = 0;
    const read = (): Promise<Buffer> | undefined => {
      if (position >= end) return undefined;
      const buffer = (buffers[index] ??= Buffer.allocUnsafeSlow(size));
      index = (index + 1) % BUFFER_COUNT;
      const chunk = this.fill(buffer.subarray(0, end - position), position);
      position += size;
      // The caller may never request this chunk, and a rejection without a handler would end the process.
      chunk.catch(() => undefined);
      return chunk;
    };
    let ahead: Promise<Buffer> | undefined;
    return async () => {
      const chunk = await (ahead ?? read());
      ahead = read();
      return chunk;
    };
  }

  free(): void {
    const [buffers, ...others] = this.buffers.splice(0);
    // The reader of an abandoned request may still be reading into its buffers.
    if (others.length === 0) buffers?.forEach(freeBuffer);
  }

  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }

  /** Fills the chunk completely: after a short one, the stream would request more than there are buffers for. */
  private async fill(chunk: Buffer, position: number): Promise<Buffer> {
    try {
      for (let filled = 0; filled < chunk.length;) {
        const remaining = chunk.length - filled;
        const { bytesRead } = await this.handle.read(chunk, filled, remaining, position + filled);
        if (bytesRead === 0) throw changedFile(this.path);
        filled += bytesRead;
      }
      // Checked before the last chunk is sent, so that the upload of a changed file never completes.
      if (position + chunk.length >= this.length) await this.checkUnchanged();
      return chunk;
    } catch (error) {
      throw localFileError(error, this.path);
    }
  }

  private async checkUnchanged(): Promise<void> {
    const { size, mtimeNs } = await this.handle.stat({ bigint: true });
    if (size !== this.stats.size || mtimeNs !== this.stats.mtimeNs) throw changedFile(this.path);
  }
}

function changedFile(path: string): DriveError {
  const params = { path, reason: 'changed' };
  return new DriveError('local_file', { text: 'local_file_changed', params });
}

function modifiedTimeOf({ mtimeNs }: BigIntStats): Date {
  return new Date(Number(mtimeNs / 1_000_000n));
}
