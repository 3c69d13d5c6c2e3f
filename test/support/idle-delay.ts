import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Measures the event loop of this process while it waits for another one: its delay comes from other programs on the
 * machine, and from the resolution of the measurement, which the other process measures too.
 * @returns the result, and the 99th percentile in ms
 */
export async function withIdleDelay<T>(work: () => Promise<T>): Promise<{ result: T; idle: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  try {
    return { result: await work(), idle: delay.percentile(99) / 1e6 };
  } finally {
    delay.disable();
  }
}
