/**
 * Memory that is used again and again. With a new buffer for each of many files, V8 collects its garbage several times
 * per second, because it counts their memory as its own.
 */
export class BufferPool {
  private readonly unused: Buffer[] = [];

  /** @param size of each buffer in bytes */
  constructor(private readonly size: number) {}

  /** @returns a buffer with any content */
  take(): Buffer {
    return this.unused.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  /** Nothing may read or write the buffer any more. In case of doubt, it is left to V8. */
  giveBack(buffer: Buffer): void {
    this.unused.push(buffer);
  }
}
