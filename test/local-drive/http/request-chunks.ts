import type { IncomingMessage } from 'node:http';

/** Bytes that may wait to be taken; enough to keep the network busy during one write to the disk. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * The chunks of a request body just as the network gave them. The stream's own iterator would copy all that
 * waits into one new buffer before it hands it on, which costs more than writing it. Leaving the loop early
 * leaves the request as it is; a body that breaks off is an error.
 */
export async function* requestChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let wake: () => void = () => undefined;
  const take = (chunk: Buffer) => {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BUFFERED_BYTES) request.pause();
    wake();
  };
  const notice = () => {
    wake();
  };
  request.on('data', take).on('end', notice).on('close', notice).on('error', notice);
  try {
    for (;;) {
      const chunks = waiting;
      waiting = [];
      bytes = 0;
      if (chunks.length > 0) {
        request.resume();
        yield* chunks;
      } else if (request.readableEnded) {
        return;
      } else if (request.destroyed) {
        throw request.errored ?? new Error('aborted');
      } else {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  } finally {
    request.off('data', take).off('end', notice).off('close', notice);
    request.pause();
  }
}
