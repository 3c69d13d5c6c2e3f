/** From an answer into its place. */
import { type Readable, finished } from 'node:stream';
import { readDirectly } from '../http/direct-reads';
import type { ByteSink } from './byte-sink';

/**
 * Resolves when all is in its place. Unlike a pipeline, it also puts there what had come when the line broke: where
 * lines break often, only that gets on.
 * @throws what the one or the other failed with
 */
export async function pump(from: Readable, to: ByteSink): Promise<void> {
  readDirectly(from, to);
  from.on('data', (piece: Buffer) => {
    if (to.take(piece)) return;
    from.pause();
    void to.ready().then(() => from.resume());
  });
  const broken = await new Promise<Error | null | undefined>((over) => finished(from, over));
  await to.end();
  if (broken) throw broken;
}
