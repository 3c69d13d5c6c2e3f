/** Lists that may be too long for memory, in a file with one JSON value a line. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** Characters that are written at once. */
const BATCH = 64 * 1024;
/** Valid in JSON strings, but from Node.js 24 on, `readline` ends a line there: https://github.com/nodejs/node/pull/57591 */
const UNICODE_LINE_END = /[\u2028\u2029]/g;

export class JsonLinesWriter {
  private batch = '';

  private constructor(private readonly handle: FileHandle) {}

  /** Creates the file, or empties it. */
  static async create(path: string): Promise<JsonLinesWriter> {
    return new JsonLinesWriter(await open(path, 'w', 0o600));
  }

  async add(value: unknown): Promise<void> {
    this.batch += `${toLine(value)}\n`;
    if (this.batch.length >= BATCH) await this.write();
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
    const { batch } = this;
    this.batch = '';
    if (batch !== '') await this.handle.appendFile(batch);
  }
}

function toLine(value: unknown): string {
  return JSON.stringify(value).replace(UNICODE_LINE_END, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
}

/** Yields the values in order. */
export async function* readJsonLines(path: string): AsyncGenerator<unknown> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
}
