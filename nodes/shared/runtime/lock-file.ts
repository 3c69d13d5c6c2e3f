/** A lock between processes for work that takes microseconds. A file: the runtime of Node.js has no other lock. */
import { type BigIntStats, closeSync, openSync, rmSync, statSync } from 'node:fs';
import { type Clock, errorCode } from '../../../src/index';

/** ms between two attempts. */
const INTERVAL = 10;
/** ms. A lock that stays longer was left by a process that was killed. Dates of files aren't needed to notice it. */
const MAX_AGE = 5_000;

/**
 * Does work that doesn't wait for anything while no other process holds the same lock.
 * @param file removed afterwards
 * @throws if the file can't be created or removed; as `work`
 */
export async function withLockFile<T>(file: string, work: () => T, clock: Clock): Promise<T> {
  let since = clock.monotonic();
  let seen = '';
  while (!created(file)) {
    const version = fileVersion(file);
    if (version !== seen) since = clock.monotonic();
    seen = version;
    if (clock.monotonic() - since >= MAX_AGE) rmSync(file, { force: true });
    else await clock.sleep(INTERVAL);
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

function created(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** @returns a text that changes whenever the file is replaced, `''` without a file */
export function fileVersion(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? versionOf(stats) : '';
}

export function versionOf({ ino, mtimeNs, size }: BigIntStats): string {
  return `${ino} ${mtimeNs} ${size}`;
}
