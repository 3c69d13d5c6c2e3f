/** A content that goes out no faster than the account permits. */
import type { BandwidthLimiter } from '../concurrency/bandwidth-limiter';
import type { Pieces } from './source';

/**
 * Slices of the pieces, each when there is room for it on the line. They lie in their piece: it is overwritten no
 * sooner, since the next is asked for when the last slice of this one has been given out.
 * @param signal ends the waiting
 */
export function throttle(next: Pieces, bandwidth: BandwidthLimiter, signal: AbortSignal): Pieces {
  let left: Buffer | undefined;
  return async () => {
    if (!left || left.length === 0) left = await next();
    if (!left) return undefined;
    const slice = left.subarray(0, bandwidth.slice);
    await bandwidth.take(slice.length, signal);
    left = left.subarray(slice.length);
    return slice;
  };
}
