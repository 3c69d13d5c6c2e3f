/** Memory that is created or used at a high rate, and what consumes it. */
import { types } from 'node:util';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a buffer that nobody uses any more. V8 does so at a garbage collection, before which 32 to 64 MiB
 * of such buffers accumulate. Ignores buffers that share their memory with others.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (!types.isArrayBuffer(buffer) || buffer.byteLength !== byteLength) return;
  if (!closedPort) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    closedPort = port1;
  }
  // The memory is transferred with a message that nobody receives.
  closedPort.postMessage(null, [buffer]);
}

/** More than the largest block that glibc keeps: see M_MMAP_THRESHOLD in mallopt(3). */
const RETURNED_SIZE = 32 * 1024 * 1024 + 4096;

/**
 * For several megabytes at once. When glibc frees a smaller block, it keeps the memory for later, and from then on also
 * the memory of all blocks up to this size. The rest of the larger one is never written to, so it takes no memory.
 * @returns a buffer of at least this size, with any content, whose memory the system gets back when it is freed
 */
export function largeBuffer(size: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.max(size, RETURNED_SIZE));
}

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

/** Consumes the bytes of a response body, with backpressure as in Node's Writable but without its cost per chunk. */
export interface ByteSink {
  /**
   * Accepts the whole chunk. The caller may overwrite its memory after this returns.
   * @returns false if the caller should wait for {@link drained} before the next chunk
   */
  write(chunk: Buffer): boolean;
  /** Resolves when the next chunk may be written, also after a failure. */
  drained(): Promise<void>;
  /** Resolves when all accepted bytes are stored. @throws the first error of the sink */
  end(): Promise<void>;
}
