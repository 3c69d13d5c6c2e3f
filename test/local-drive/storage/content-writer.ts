import { open, type FileHandle } from 'node:fs/promises';

/** Network reads are 64 KiB; gathered to this they cost a tenth of the system calls. */
const BATCH_BYTES = 1024 * 1024;

/**
 * Writes arriving bytes to a file: gathered, one write in flight while the next bytes arrive, so that memory
 * stays at a few MiB whatever the size. What was handed over is on disk after `flush`, also after a cut.
 */
export class ContentWriter {
  private batch: Buffer[] = [];
  private batchBytes = 0;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly handle: FileHandle,
    /** Bytes in the file, with what is on its way there. */
    public size: number,
    private readonly onWritten: (size: number) => void,
  ) {}

  /** Opens a file to append to it. `onWritten` hears the size after each write. */
  static async open(
    path: string,
    onWritten: (size: number) => void = () => undefined,
  ): Promise<ContentWriter> {
    const handle = await open(path, 'a', 0o600);
    return new ContentWriter(handle, (await handle.stat()).size, onWritten);
  }

  /** Takes a chunk; waits only when writing is slower than the network. */
  async write(chunk: Buffer): Promise<void> {
    this.batch.push(chunk);
    this.batchBytes += chunk.length;
    this.size += chunk.length;
    if (this.batchBytes >= BATCH_BYTES) await this.startWriting();
  }

  async flush(): Promise<void> {
    if (this.batchBytes > 0) await this.startWriting();
    await this.writing;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.handle.close();
    }
  }

  private async startWriting(): Promise<void> {
    await this.writing;
    const batch = this.batch;
    const written = this.size;
    this.batch = [];
    this.batchBytes = 0;
    this.writing = this.handle.writev(batch).then(() => {
      this.onWritten(written);
    });
    // The error is met by whoever awaits next; until then it must not count as unhandled.
    this.writing.catch(() => undefined);
  }
}
