/** Options for work under a lock, which other callers may wait for. */
import type { CallOptions } from '../types';

/**
 * @param signal of the lock: aborted only when all callers are
 * @returns the call's options for such work, which continues when the call itself is aborted
 */
export function sharedCall(call: CallOptions, signal: AbortSignal): CallOptions {
  return {
    ...call,
    signal,
    onWait: (ms) => {
      if (!call.signal?.aborted) call.onWait?.(ms);
    },
  };
}
