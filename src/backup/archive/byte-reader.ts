/** Reads a stream of chunks in parts of any length, and frees the memory of chunks that were read. */
import { freeBuffer } from '../../core/buffers';

const NOTHING = Buffer.alloc(0);

export class ByteReader {
  /** How many bytes were read. */
  position = 0;
  /** What is left of the current chunk. */
  private rest: Buffer = NOTHING;
  private memory: ArrayBufferLike | undefined;
  /** Bytes of the memory that chunks have used. */
  private used = 0;

  /** @param chunks may share their memory with the one before */
  constructor(private readonly chunks: AsyncGenerator<Buffer>) {}

  /** @returns fewer bytes at the end. They are valid until the next call. */
  async read(length: number): Promise<Buffer> {
    if (this.rest.length >= length) return this.take(length);
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const part = await this.readSome(missing);
      if (part.length === 0) break;
      // The next chunk may free the memory of this one.
      parts.push(Buffer.from(part));
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** @returns from 1 to `length` bytes, none at the end. They are valid until the next call. */
  async readSome(length: number): Promise<Buffer> {
    while (this.rest.length === 0) {
      const next = await this.chunks.next();
      if (next.done) return NOTHING;
      this.enter(next.value);
    }
    return this.take(Math.min(length, this.rest.length));
  }

  /** Closes the stream. */
  async close(): Promise<void> {
    await this.chunks.return(undefined);
  }

  private take(length: number): Buffer {
    const part = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    this.position += length;
    return part;
  }

  /** Otherwise, many megabytes accumulate before a garbage collection. */
  private enter(chunk: Buffer): void {
    if (chunk.buffer !== this.memory) {
      // What was used only in part may have another use.
      if (this.memory?.byteLength === this.used) freeBuffer(Buffer.from(this.memory));
      this.memory = chunk.buffer;
      this.used = 0;
    }
    this.used += chunk.length;
    this.rest = chunk;
  }
}
