/** The main part of programs that measure the client in a process of its own. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { DriveClient } from '../../../src/index';
import { createClientInRealTime } from './test-client';

export interface Measurements {
  /** By how many bytes the memory has grown at most. */
  growth: number;
  /** The longest usual delay of the event loop, in ms. */
  p99: number;
}

/**
 * Does work, and prints its result and the measurements as JSON.
 * @param prepare what it does isn't measured
 */
export async function measureClient(
  baseUrl: string,
  work: (client: DriveClient) => Promise<object>,
  prepare = (client: DriveClient): Promise<unknown> => client.getAbout('user'),
): Promise<void> {
  const { client, http } = createClientInRealTime(baseUrl);
  await prepare(client);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const result = await work(client);
  delay.disable();
  clearInterval(timer);
  http.close();
  const measurements: Measurements = { growth: peak - before, p99: delay.percentile(99) / 1e6 };
  process.stdout.write(JSON.stringify({ ...result, ...measurements }));
}
