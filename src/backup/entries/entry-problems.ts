/**
 * Why an entry of an archive can't be restored safely: archives may come from anyone. Which paths are allowed is in
 * src/fs/relative-path.ts.
 */
import { foldName } from '../../core/fold-name';
import { DriveError } from '../../errors';
import { HashedPairs } from './hashed-pairs';
import { readablePath } from '../../fs/path-bytes';

const TEXTS = {
  path: 'bad_response_archive_path',
  link: 'bad_response_archive_link',
  type: 'bad_response_archive_type',
  collision: 'bad_response_archive_collision',
  kind: 'bad_response_archive_kind',
} as const;

export type EntryProblem = keyof typeof TEXTS;

/** The error of an archive with an entry that can't be restored safely. */
export function badEntry(problem: EntryProblem, archive: string, entry: string): DriveError {
  const params = { name: archive, entry: readablePath(entry).slice(0, 200) };
  return new DriveError('bad_response', { text: TEXTS[problem], params });
}

/** Finds different names that would be the same file on a disk that ignores case. */
export class CaseCollisions {
  private readonly names = new HashedPairs();
  private last = '';

  /** @returns true if the path, or a folder in it, differs only in case from an earlier one */
  has(path: string): boolean {
    // Archives list folder after folder, so most folders of a path are those of the last one.
    let end = commonFolderEnd(path, this.last);
    do {
      end = path.indexOf('/', end + 1);
      const prefix = end === -1 ? path : path.slice(0, end);
      if (!this.names.add(foldName(prefix), prefix)) return true;
    } while (end !== -1);
    this.last = path;
    return false;
  }
}

/** @returns where the longest folder of `path` ends that is also a folder of `other`, or `other` itself; -1 for none */
function commonFolderEnd(path: string, other: string): number {
  let end = -1;
  for (let index = 0; index <= other.length; index++) {
    const isNameEnd = index === other.length || other[index] === '/';
    if (isNameEnd && path[index] === '/') end = index;
    if (path[index] !== other[index]) break;
  }
  return end;
}
