/** Lists that may be too long for memory, in a file with one JSON value a line. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** Bytes that are written at once. */
const BATCH = 64 * 1024;
/** Bytes that are read at once: all their lines are returned before the event loop continues. */
const READ_SIZE = 8 * 1024;
/**
 * Valid in JSON strings, but from Node.js 24 on, `readline` ends a line there:
 * https://github.com/nodejs/node/pull/57591
 */
const UNICODE_LINE_END = /[\u2028\u2029]/g;

/** The end of a list at some time. */
interface ListEnd {
  /** Bytes in the file. */
  written: number;
  /** Lines and bytes that weren't written yet. */
  lines: number;
  bytes: number;
}

export class JsonLinesWriter {
  private readonly batch: string[] = [];
  private written = 0;
  private bytes = 0;

  private constructor(private readonly handle: FileHandle) {}

  /** Creates the file, or empties it. */
  static async create(path: string): Promise<JsonLinesWriter> {
    return new JsonLinesWriter(await open(path, 'w', 0o600));
  }

  get end(): ListEnd {
    return { written: this.written, lines: this.batch.length, bytes: this.bytes };
  }

  async add(value: unknown): Promise<void> {
    const line = `${toLine(value)}\n`;
    this.batch.push(line);
    this.bytes += Buffer.byteLength(line);
    if (this.bytes >= BATCH) await this.write();
  }

  /** Removes all values that were added after an earlier {@link end}. */
  async truncate({ written, lines, bytes }: ListEnd): Promise<void> {
    const isWritten = written !== this.written;
    this.batch.length = isWritten ? 0 : lines;
    this.bytes = isWritten ? 0 : bytes;
    if (!isWritten) return;
    this.written = written + bytes;
    await this.handle.truncate(this.written);
  }

  /** Also flushes the file to disk if `flush` is set. */
  async close({ flush = false } = {}): Promise<void> {
    try {
      await this.write();
      if (flush) await this.handle.sync();
    } finally {
      await this.handle.close();
    }
  }

  private async write(): Promise<void> {
    let rest = Buffer.from(this.batch.join(''));
    this.batch.length = 0;
    this.bytes = 0;
    // Windows truncates no file that was opened for appending, so each write has a position.
    while (rest.length > 0) {
      const { bytesWritten } = await this.handle.write(rest, 0, rest.length, this.written);
      this.written += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }
}

function toLine(value: unknown): string {
  return JSON.stringify(value).replace(UNICODE_LINE_END, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
}

/** Yields the values in order. */
export async function* readJsonLines(path: string): AsyncGenerator<unknown> {
  const input = createReadStream(path, { encoding: 'utf8', highWaterMark: READ_SIZE });
  const closed = new Promise((resolve) => input.once('close', resolve));
  try {
    const lines = createInterface({ input, crlfDelay: Infinity });
    for await (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
  } finally {
    // Otherwise, the file stays open if the caller stops earlier, and Windows doesn't remove its folder.
    input.destroy();
    await closed;
  }
}
