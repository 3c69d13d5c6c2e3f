/** A content that is taken no faster than the account permits. */
import type { BandwidthLimiter } from '../concurrency/bandwidth-limiter';
import type { ByteSink } from './byte-sink';

/**
 * Stands before an intake and lets each piece wait for its turn; whoever pours into it stops reading the line meanwhile.
 * @param signal ends the waiting
 */
export function throttle(
  to: ByteSink,
  bandwidth: BandwidthLimiter,
  signal: AbortSignal | undefined,
): ByteSink {
  if (!bandwidth.isLimited) return to;
  let last: Promise<void> = Promise.resolve();
  const pass = async (before: Promise<void>, piece: Buffer): Promise<void> => {
    await before;
    await bandwidth.acquire(piece.length, signal);
    if (!to.take(piece)) await to.ready();
  };
  return {
    take(piece) {
      last = pass(last, Buffer.from(piece));
      return false;
    },
    // Who waits is told at the end that it was cancelled.
    ready: () => last.catch(() => undefined),
    end: () => last.finally(() => to.end()),
  };
}
