import { open, type FileHandle } from 'node:fs/promises';

/** Network reads are 64 KiB; writing them in batches of this size takes a tenth of the system calls. */
const BATCH_BYTES = 1024 * 1024;

/**
 * Appends arriving bytes to a file in batches. One batch is written while the next one fills, so memory use stays
 * at a few MiB. After `flush`, all bytes passed to `write` are in the file.
 */
export class ContentWriter {
  private batch: Buffer[] = [];
  private batchBytes = 0;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly handle: FileHandle,
    /** Bytes in the file, including those not yet written. */
    public size: number,
    private readonly onWritten: (size: number) => void,
  ) {}

  /** Opens a file for appending. `onWritten` is called with the file size after each write. */
  static async open(
    path: string,
    onWritten: (size: number) => void = () => undefined,
  ): Promise<ContentWriter> {
    const handle = await open(path, 'a', 0o600);
    return new ContentWriter(handle, (await handle.stat()).size, onWritten);
  }

  /** Queues a chunk; waits only if the disk is slower than the network. */
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
    // The next call to write, flush or close reports the error; until then it must not count as unhandled.
    this.writing.catch(() => undefined);
  }
}
