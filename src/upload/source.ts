/** What an upload sends, readable from any byte on as often as needed. */
import type { FileHandle } from 'node:fs/promises';
import { open, stat } from 'node:fs/promises';
import { DriveError, localFile } from '../errors';

export type Content = { path: string } | { data: Buffer | string };

/** @returns the next piece, undefined behind the last; a piece may be overwritten once the next but two is asked for */
export type Pieces = () => Promise<Buffer | undefined>;

export interface Source {
  /** Bytes. */
  readonly length: number;
  /** Of a file on disk. */
  readonly modifiedTime: Date | undefined;
  /** Tells whether a file on disk is still the same; undefined for what isn't on disk. */
  readonly state: string | undefined;
  /** Reads from a byte on to another, or to the end. */
  piecesFrom(start: number, end?: number): Pieces;
  close(): Promise<void>;
}

/** Large pieces, few of them: small ones cost more than everything else. */
const PIECE = 1024 * 1024;
/** One is on its way to the socket, one waits in the stream, one is read ahead; and one to be safe. */
const REUSED = 4;

/** @throws `local_file` for what is no regular file or can't be read */
export async function openSource(content: Content): Promise<Source> {
  if ('path' in content) return openFile(content.path);
  const { data } = content;
  return new DataSource(typeof data === 'string' ? Buffer.from(data, 'utf8') : data);
}

class DataSource implements Source {
  readonly modifiedTime = undefined;
  readonly state = undefined;

  constructor(private readonly data: Buffer) {}

  get length(): number {
    return this.data.length;
  }

  piecesFrom(start: number, end = this.length): Pieces {
    let position = start;
    return () => {
      if (position >= end) return Promise.resolve(undefined);
      const piece = this.data.subarray(position, Math.min(end, position + PIECE));
      position += piece.length;
      return Promise.resolve(piece);
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Before anything is made on the drive for it. @throws `local_file` as {@link openSource} */
export async function checkSource(content: Content): Promise<void> {
  if ('path' in content) await (await openFile(content.path)).close();
}

async function openFile(path: string): Promise<Source> {
  try {
    // Before it is opened: opening a FIFO waits for its other end.
    checkRegular(await stat(path), path);
    const handle = await open(path, 'r');
    try {
      const state = await stateOf(handle);
      return new FileSource(path, handle, state);
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw localFile(error, path, { ENOENT: 'local_file_no_source' });
  }
}

function checkRegular(found: { isFile(): boolean; isDirectory(): boolean }, path: string): void {
  if (found.isFile()) return;
  const [text, reason] = found.isDirectory()
    ? ['local_file_is_folder', 'EISDIR']
    : ['local_file_not_regular', 'not a regular file'];
  throw new DriveError('local_file', { text, params: { path, reason } });
}

interface State {
  size: bigint;
  mtimeNs: bigint;
}

async function stateOf(handle: FileHandle): Promise<State> {
  const { size, mtimeNs } = await handle.stat({ bigint: true });
  return { size, mtimeNs };
}

/** One handle for the whole upload: another file that takes the path meanwhile is not mixed in. */
class FileSource implements Source {
  readonly length: number;
  readonly modifiedTime: Date;
  readonly state: string;

  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
    private readonly opened: State,
  ) {
    this.length = Number(opened.size);
    this.modifiedTime = new Date(Number(opened.mtimeNs / 1_000_000n));
    this.state = `${opened.size} ${opened.mtimeNs}`;
  }

  piecesFrom(start: number, end = this.length): Pieces {
    const size = Math.min(PIECE, end - start);
    const buffers: Buffer[] = [];
    let position = start;
    let turn = 0;
    const read = (): Promise<Buffer> | undefined => {
      if (position >= end) return undefined;
      const buffer = (buffers[turn] ??= Buffer.allocUnsafeSlow(size));
      turn = (turn + 1) % REUSED;
      const piece = this.filled(buffer.subarray(0, end - position), position);
      position += size;
      // Whoever asks for it is told; nobody may.
      piece.catch(() => undefined);
      return piece;
    };
    let ahead: Promise<Buffer> | undefined;
    return async () => {
      const piece = await (ahead ?? read());
      ahead = read();
      return piece;
    };
  }

  async close(): Promise<void> {
    await this.handle.close().catch(() => undefined);
  }

  /** Only the last piece may be smaller: a stream asks for more while small ones are still on their way. */
  private async filled(piece: Buffer, position: number): Promise<Buffer> {
    try {
      for (let filled = 0; filled < piece.length;) {
        const left = piece.length - filled;
        const { bytesRead } = await this.handle.read(piece, filled, left, position + filled);
        if (bytesRead === 0) throw this.changed();
        filled += bytesRead;
      }
      // Before the last piece goes out, so that nothing comes to be on the drive of a file that changed.
      if (position + piece.length >= this.length) await this.checkUnchanged();
      return piece;
    } catch (error) {
      throw localFile(error, this.path);
    }
  }

  private async checkUnchanged(): Promise<void> {
    const { size, mtimeNs } = await stateOf(this.handle);
    if (size !== this.opened.size || mtimeNs !== this.opened.mtimeNs) throw this.changed();
  }

  private changed(): DriveError {
    const params = { path: this.path, reason: 'changed' };
    return new DriveError('local_file', { text: 'local_file_changed', params });
  }
}
