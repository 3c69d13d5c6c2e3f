/**
 * Calls of the file system for many small files. Node.js passes each call to a thread of its own and wakes up again for the
 * result, which takes several times as long as the call itself on a local disk. There, the main thread makes the calls, but
 * only as long as the disk is fast: calls that take long make up at most one percent of the time.
 */
import { linkSync, lutimesSync, unlinkSync, writeFileSync } from 'node:fs';
import { link, lutimes, unlink, writeFile } from 'node:fs/promises';

/** ms that a call may take, of about four for a file. Most take less than 0.1. */
const MAX_DURATION = 2;
/** After a slow call, threads make the calls for so many times as long as it took. */
const THREADS_FACTOR = 100;

const NEW_FILE = 'wx';

/** As in `node:fs/promises`. */
export interface FileCalls {
  createFile: (path: string, content: Uint8Array, mode?: number) => Promise<void>;
  lutimes: (path: string, atime: Date, mtime: Date) => Promise<void>;
  link: (existing: string, path: string) => Promise<void>;
  unlink: (path: string) => Promise<void>;
}

/** Never delays anything else. */
export const THREAD_CALLS: FileCalls = {
  createFile: (path, content, mode) => writeFile(path, content, { flag: NEW_FILE, mode }),
  lutimes: (path, atime, mtime) => lutimes(path, atime, mtime),
  link: (existing, path) => link(existing, path),
  unlink: (path) => unlink(path),
};

/** @param now ms. @returns calls for a local file system: that of another computer may not answer for minutes */
export function localFileCalls(now = (): number => performance.now()): FileCalls {
  let threadsUntil = -Infinity;
  const fast =
    <Args extends unknown[]>(
      onMainThread: (...args: Args) => void,
      inThread: (...args: Args) => Promise<void>,
    ) =>
    async (...args: Args): Promise<void> => {
      const start = now();
      if (start < threadsUntil) return inThread(...args);
      try {
        onMainThread(...args);
      } finally {
        const duration = now() - start;
        if (duration > MAX_DURATION) threadsUntil = start + duration * THREADS_FACTOR;
      }
    };
  return {
    createFile: fast(
      (path, content, mode) => writeFileSync(path, content, { flag: NEW_FILE, mode }),
      THREAD_CALLS.createFile,
    ),
    lutimes: fast(lutimesSync, THREAD_CALLS.lutimes),
    link: fast(linkSync, THREAD_CALLS.link),
    unlink: fast(unlinkSync, THREAD_CALLS.unlink),
  };
}
