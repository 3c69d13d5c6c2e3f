import { createReadStream } from 'node:fs';
import { open, rename, truncate, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/**
 * An append-only file of JSON lines. An append resolves once its line is written; appends during a write share the
 * next one. A last line truncated by a crash is dropped at the next start.
 */
export class Journal<Entry> {
  private lines: string[] = [];
  private nextWrite?: Promise<void>;
  private currentWrite: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private handle: FileHandle,
  ) {}

  /** Opens the journal and passes each of its entries to `replay`. */
  static async open<Entry>(path: string, replay: (entry: Entry) => void): Promise<Journal<Entry>> {
    const handle = await open(path, 'a', 0o600);
    try {
      const { size } = await handle.stat();
      const validBytes = size === 0 ? 0 : await replayLines(path, replay);
      if (validBytes < size) await truncate(path, validBytes);
      return new Journal(path, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  append(entry: Entry): Promise<void> {
    this.lines.push(`${JSON.stringify(entry)}\n`);
    return this.flush();
  }

  /** Replaces all entries atomically. */
  async rewrite(entries: Iterable<Entry>): Promise<void> {
    await this.currentWrite;
    const temporary = `${this.path}.new`;
    const handle = await open(temporary, 'w', 0o600);
    let batch: string[] = [];
    for (const entry of entries) {
      batch.push(JSON.stringify(entry));
      if (batch.length < 1000) continue;
      await handle.write(`${batch.join('\n')}\n`);
      batch = [];
    }
    if (batch.length > 0) await handle.write(`${batch.join('\n')}\n`);
    await handle.sync();
    await rename(temporary, this.path);
    await this.handle.close();
    this.handle = handle;
  }

  async close(): Promise<void> {
    if (this.lines.length > 0) await this.flush();
    await this.currentWrite;
    await this.handle.close();
  }

  private flush(): Promise<void> {
    // A failed write (disk full) rejects its own appends, not later ones.
    this.nextWrite ??= this.currentWrite
      .catch(() => undefined)
      .then(async () => {
        this.currentWrite = this.nextWrite ?? Promise.resolve();
        this.nextWrite = undefined;
        const batch = this.lines.join('');
        this.lines = [];
        await this.handle.write(batch);
      });
    return this.nextWrite;
  }
}

/** Replays all complete lines. @returns their length in bytes */
async function replayLines<Entry>(path: string, replay: (entry: Entry) => void): Promise<number> {
  let validBytes = 0;
  let isDamaged = false;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (isDamaged) throw new Error(`${path} is damaged at byte ${validBytes}`);
    try {
      replay(JSON.parse(line) as Entry);
      validBytes += Buffer.byteLength(line) + 1;
    } catch {
      isDamaged = true;
    }
  }
  return validBytes;
}
