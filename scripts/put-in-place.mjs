/** Puts a folder that is whole in the place of another, whoever else does the same at that moment. */
import { renameSync, rmSync } from 'node:fs';

/** What a rename says where there is a folder with something in it: https://man7.org/linux/man-pages/man2/rename.2.html */
const THERE = ['ENOTEMPTY', 'EEXIST'];

/**
 * The last one stays. In its place is one or the other or, for a moment, none, but never a part of one: the one before is
 * taken away first, and deleted where nobody looks for it.
 *
 * @param built is moved; beside `place`, so that a rename is enough
 */
export function putInPlace(built, place) {
  const before = `${built}.before`;
  for (;;) {
    moveAway(place, before);
    try {
      renameSync(built, place);
      return;
    } catch (error) {
      // Somebody else's came in between: then that one is the one before.
      if (!THERE.includes(error.code)) throw error;
    } finally {
      rmSync(before, { recursive: true, force: true });
    }
  }
}

function moveAway(place, to) {
  try {
    renameSync(place, to);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
