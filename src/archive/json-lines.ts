/** Lists that may be too long for memory, in a file with one JSON value a line. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** Characters that are written at once. */
const BATCH = 64 * 1024;

export class JsonLinesWriter {
  private batch = '';

  private constructor(private readonly handle: FileHandle) {}

  /** Creates the file, or empties it. */
  static async create(path: string): Promise<JsonLinesWriter> {
    return new JsonLinesWriter(await open(path, 'w', 0o600));
  }

  async add(value: unknown): Promise<void> {
    this.batch += `${JSON.stringify(value)}\n`;
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

/** Yields the values in order. */
export async function* readJsonLines(path: string): AsyncGenerator<unknown> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as unknown;
}
