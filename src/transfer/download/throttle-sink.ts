/** Limits a download to the bandwidth of the account. */
import type { BandwidthLimiter } from '../../core/bandwidth-limiter';
import type { ByteSink } from '../../core/byte-sink';

/**
 * Delays each chunk until the limiter lets it pass, so that {@link pump} stops reading the connection meanwhile.
 * @param signal aborts the wait
 * @returns `sink` itself if the bandwidth is unlimited
 */
export function throttleSink(
  sink: ByteSink,
  bandwidth: BandwidthLimiter,
  signal: AbortSignal | undefined,
): ByteSink {
  if (!bandwidth.isLimited) return sink;
  let lastWrite: Promise<void> = Promise.resolve();
  const writeAfter = async (previous: Promise<void>, chunk: Buffer): Promise<void> => {
    await previous;
    await bandwidth.acquire(chunk.length, signal);
    if (!sink.write(chunk)) await sink.drained();
  };
  return {
    write(chunk) {
      lastWrite = writeAfter(lastWrite, Buffer.from(chunk));
      return false;
    },
    // `end` reports the error of an aborted wait.
    drained: () => lastWrite.catch(() => undefined),
    end: () => lastWrite.finally(() => sink.end()),
  };
}
