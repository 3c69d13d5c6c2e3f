/** Replaces a folder with another one, also while other processes do the same. */
import { renameSync, rmSync } from 'node:fs';

/** Errors of a rename onto a folder that isn't empty: https://man7.org/linux/man-pages/man2/rename.2.html */
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];

/**
 * Between the two renames the target doesn't exist, but it is never incomplete. If several processes replace it, the
 * last one wins.
 *
 * @param source is moved, so it has to be on the same file system as the target
 */
export function replaceFolder(source, target) {
  const previous = `${source}.previous`;
  for (;;) {
    renameIfExists(target, previous);
    try {
      renameSync(source, target);
      return;
    } catch (error) {
      // Another process has created the target between the two renames. Replace that one.
      if (!NOT_EMPTY.includes(error.code)) throw error;
    } finally {
      rmSync(previous, { recursive: true, force: true });
    }
  }
}

function renameIfExists(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
