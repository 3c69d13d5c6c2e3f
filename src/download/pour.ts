/** From an answer into a sink. */
import { type Readable, type Writable, finished } from 'node:stream';

/**
 * Resolves when all is written. Unlike a pipeline, it also writes what had come when the line broke: where lines break
 * often, only that gets on.
 * @throws what the one or the other failed with
 */
export function pour(from: Readable, to: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null | undefined;
    finished(from, (error) => {
      failure ??= error;
      if (error) to.end();
    });
    to.once('error', (error) => {
      failure = error;
      from.destroy();
    });
    to.once('close', () => (failure ? reject(failure) : resolve()));
    from.pipe(to);
  });
}
