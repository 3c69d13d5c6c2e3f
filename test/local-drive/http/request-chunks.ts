import type { IncomingMessage } from 'node:http';

/** Enough to keep the network busy during one write to the disk. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/**
 * The chunks of a request body as received. The stream's own async iterator concatenates buffered chunks, which costs
 * more than writing them. Stopping early keeps the request open; an incomplete body throws.
 */
export async function* requestChunks(request: IncomingMessage): AsyncGenerator<Buffer> {
  let buffered: Buffer[] = [];
  let bufferedBytes = 0;
  let wake: () => void = () => undefined;
  const onData = (chunk: Buffer) => {
    buffered.push(chunk);
    bufferedBytes += chunk.length;
    if (bufferedBytes >= MAX_BUFFERED_BYTES) request.pause();
    wake();
  };
  const onChange = () => {
    wake();
  };
  request.on('data', onData).on('end', onChange).on('close', onChange).on('error', onChange);
  try {
    for (;;) {
      const chunks = buffered;
      buffered = [];
      bufferedBytes = 0;
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
    request.off('data', onData).off('end', onChange).off('close', onChange);
    request.pause();
  }
}
