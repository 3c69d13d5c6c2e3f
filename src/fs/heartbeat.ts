/**
 * Shows other processes, which may be in other containers or on other hosts, that a file or folder is in use: its
 * modification time changes every few seconds.
 */
import { lstat, lutimes, rename } from 'node:fs/promises';
import type { Clock } from '../types';

/** ms between two updates of the modification time. */
const INTERVAL = 5_000;
/** ms for which something is watched for a heartbeat. */
export const HEARTBEAT_TIMEOUT = 3 * INTERVAL;
const POLL_INTERVAL = 1_000;

export interface WaitOptions {
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** @param setTimes as `utimes` of a file or folder. Stop it with `clearInterval`. */
export function startHeartbeat(setTimes: (atime: Date, mtime: Date) => Promise<void>): NodeJS.Timeout {
  const beat = (): void => {
    const now = new Date();
    setTimes(now, now).catch(() => undefined);
  };
  return setInterval(beat, INTERVAL).unref();
}

/** Watches files and folders that were found. @returns those that are still there, unchanged. @throws `cancelled` */
export async function withoutHeartbeat<T extends { size: number; mtimeMs: number }>(
  found: readonly T[],
  pathOf: (each: T) => string,
  { clock, signal }: WaitOptions,
): Promise<T[]> {
  let silent = [...found];
  for (let waited = 0; waited < HEARTBEAT_TIMEOUT && silent.length > 0; waited += POLL_INTERVAL) {
    await clock.sleep(POLL_INTERVAL, signal);
    const stats = await Promise.all(silent.map((each) => lstat(pathOf(each)).catch(() => undefined)));
    silent = silent.filter(({ size, mtimeMs }, index) => {
      const now = stats[index];
      return now?.size === size && now.mtimeMs === mtimeMs;
    });
  }
  return silent;
}

/**
 * Gives it a recent heartbeat first, so that nobody sees the new name without one.
 * @throws if another process was faster
 */
export async function claimByRename(from: string, to: string): Promise<void> {
  const now = new Date();
  await lutimes(from, now, now).catch(() => undefined);
  await rename(from, to);
}
