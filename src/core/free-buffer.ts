/** Memory of large buffers that are created at a high rate, such as the output of a cipher. */
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
