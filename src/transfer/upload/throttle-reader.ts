/** Limits the bandwidth of an upload. */
import type { BandwidthLimiter } from '../../core/bandwidth-limiter';
import type { ChunkReader } from './source';

/**
 * Splits chunks into slices and returns each when the limiter permits it. The slices share the memory of their chunk;
 * it isn't reused earlier, because the next chunk is requested only after its last slice.
 * @param signal aborts the wait
 */
export function throttleReader(
  next: ChunkReader,
  bandwidth: BandwidthLimiter,
  signal?: AbortSignal,
): ChunkReader {
  let remaining: Buffer | undefined;
  return async () => {
    if (!remaining || remaining.length === 0) remaining = await next();
    if (!remaining) return undefined;
    const slice = remaining.subarray(0, bandwidth.chunkSize);
    await bandwidth.acquire(slice.length, signal);
    remaining = remaining.subarray(slice.length);
    return slice;
  };
}
