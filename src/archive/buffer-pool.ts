/** A fixed number of buffers of the same size, so that reading at any speed takes the same memory. */
import { cancelled } from '../errors';

export class BufferPool {
  private readonly free: Buffer[];
  private readonly used = new Map<ArrayBufferLike, Buffer>();
  private readonly waiting: { resolve: (buffer: Buffer) => void; reject: (error: Error) => void }[] = [];
  private isClosed = false;

  constructor(count: number, size: number) {
    this.free = Array.from({ length: count }, () => Buffer.allocUnsafeSlow(size));
  }

  /** Waits until a buffer is free. @throws `cancelled` once the pool is closed */
  async acquire(): Promise<Buffer> {
    if (this.isClosed) throw cancelled();
    const buffer = this.free.pop() ?? (await this.wait());
    this.used.set(buffer.buffer, buffer);
    return buffer;
  }

  /** @param chunk a buffer of the pool or a part of it; others are ignored */
  release(chunk: Buffer): void {
    const buffer = this.used.get(chunk.buffer);
    if (!buffer) return;
    this.used.delete(buffer.buffer);
    const next = this.waiting.shift();
    if (next) next.resolve(buffer);
    else this.free.push(buffer);
  }

  /** Ends all waiting: nobody releases a buffer any more. */
  close(): void {
    this.isClosed = true;
    for (const { reject } of this.waiting.splice(0)) reject(cancelled());
  }

  private wait(): Promise<Buffer> {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
