/** A content that is taken no faster than the account permits. */
import { Writable, finished } from 'node:stream';
import type { Bandwidth } from '../http/bandwidth';

/**
 * Stands before a stream and lets each chunk wait for its turn; whoever pipes into it stops reading the line meanwhile.
 * @param signal ends the waiting
 */
export function limited(to: Writable, bandwidth: Bandwidth, signal: AbortSignal | undefined): Writable {
  if (!bandwidth.isLimited) return to;
  const before = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const pass = (): void => void (to.write(chunk) ? done() : to.once('drain', done));
      bandwidth.take(chunk.length, signal).then(pass, done);
    },
    final(done) {
      to.end();
      finished(to, (error) => done(error));
    },
    destroy(error, done) {
      to.destroy();
      // What it has in flight is to be over as well.
      if (to.closed) done(error);
      else to.once('close', () => done(error));
    },
  });
  to.once('error', (error) => before.destroy(error));
  return before;
}
