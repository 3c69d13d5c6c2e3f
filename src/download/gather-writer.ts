/**
 * Gathers small chunks and writes them together: sockets give 64 KiB at most, and a system call for each costs more
 * than all the rest of a download. One write is in flight, the next is gathered meanwhile.
 */
import { Writable } from 'node:stream';

const GATHERED = 128 * 1024;
const HIGH_WATER = 1024 * 1024;

export class GatherWriter extends Writable {
  private gathered: Buffer[] = [];
  private size = 0;
  private inFlight: Promise<void> = Promise.resolve();

  /** @param write puts the buffers behind what was written before */
  constructor(private readonly write_: (buffers: Buffer[]) => Promise<void>) {
    super({ highWaterMark: HIGH_WATER });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.gather([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.gather(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _final(done: (error?: Error | null) => void): void {
    this.flush(done);
  }

  /** Waits for the write in flight, so that nobody closes the file or writes elsewhere under it. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inFlight.then(
      () => done(error),
      () => done(error),
    );
  }

  private gather(chunks: Buffer[], done: (error?: Error | null) => void): void {
    for (const chunk of chunks) {
      this.gathered.push(chunk);
      this.size += chunk.length;
    }
    if (this.size < GATHERED) done();
    else this.flush(done);
  }

  private flush(done: (error?: Error | null) => void): void {
    if (this.size === 0) return done();
    const buffers = this.gathered;
    this.gathered = [];
    this.size = 0;
    this.inFlight = this.write_(buffers);
    this.inFlight.then(() => done(), done);
  }
}
