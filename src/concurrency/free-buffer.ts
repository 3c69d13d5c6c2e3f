/** Memory of large buffers that are created at a high rate, such as the output of a cipher. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';

let closedPort: MessagePort | undefined;

/**
 * Frees the memory of a buffer that nobody uses any more. V8 does so at a garbage collection, before which 32 to 64 MiB of
 * such buffers accumulate. Ignores buffers that share their memory with others.
 */
export function freeBuffer({ buffer, byteLength }: Buffer): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== byteLength) return;
  if (!closedPort) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    closedPort = port1;
  }
  // The memory is transferred with a message that nobody receives.
  closedPort.postMessage(null, [buffer]);
}
