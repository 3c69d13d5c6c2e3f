/** Moves the body of a response into a sink. */
import { type Readable, finished } from 'node:stream';
import type { ByteSink } from '../../core/byte-sink';
import { freeChunk, readDirectly } from '../../http/direct-reads';

/**
 * Resolves when the sink has stored the whole body. Unlike `stream.pipeline`, it also stores what arrived before an
 * error, so that a download over an unstable connection makes progress with each attempt.
 * @throws the error of the body or of the sink
 */
export async function pump(body: Readable, sink: ByteSink): Promise<void> {
  readDirectly(body, sink);
  body.on('data', (chunk: Buffer) => {
    const wantsMore = sink.write(chunk);
    freeChunk(body, chunk);
    if (wantsMore) return;
    body.pause();
    void sink.drained().then(() => body.resume());
  });
  const error = await new Promise<Error | null | undefined>((resolve) => finished(body, resolve));
  await sink.end();
  if (error) throw error;
}
