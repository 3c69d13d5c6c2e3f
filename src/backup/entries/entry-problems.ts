/**
 * Why an entry can't be restored safely: archives and snapshots may come from anyone. Which paths are allowed is in
 * src/fs/safe-name.ts.
 */
import { randomInt } from 'node:crypto';
import { foldName } from '../../core/names';
import { DriveError, type TextWith, errorCode } from '../../errors';
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
  /** Hashes of names by the hash of what they are for the disk: strings would take three times the memory. */
  private readonly names = new Map<number, number>();
  private last = '';

  /** @returns true if the path, or a folder in it, differs only in case from an earlier one */
  has(path: string): boolean {
    // Archives list folder after folder, so most folders of a path are those of the last one.
    let end = commonFolderEnd(path, this.last);
    do {
      end = path.indexOf('/', end + 1);
      const prefix = end === -1 ? path : path.slice(0, end);
      const key = hashPath(foldName(prefix));
      // The remainder is a number that V8 stores without an object.
      const name = hashPath(prefix) % 2 ** 30;
      if ((this.names.get(key) ?? name) !== name) return true;
      this.names.set(key, name);
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

/** Random: nobody can choose names that collide. */
const SEEDS = [randomInt(2 ** 32), randomInt(2 ** 32)] as const;

/**
 * Two hashes of 32 bits in one pass: Node's own take ten times as long for short texts.
 * @returns 53 bits. Two of 200,000 paths have the same with a probability of one to 400,000.
 */
export function hashPath(path: string): number {
  let [first, second]: [number, number] = [...SEEDS];
  for (let index = 0; index < path.length; index++) {
    const code = path.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
    // Without these, the upper bits would never change the lower ones.
    first ^= first >>> 15;
    second ^= second >>> 13;
  }
  return (second >>> 11) * 2 ** 32 + (first >>> 0);
}

/** Disks without links, such as FAT and exFAT, report one of them. */
const NO_LINKS = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);
/**
 * Disks that store fewer names than others, such as exFAT with `a:b`, report one of them; exfat-fuse reports `ENOENT`.
 */
const NO_NAME = new Set(['EINVAL', 'EILSEQ', 'ENAMETOOLONG', 'ENOENT']);
/** Errors that every entry could cause. */
const GENERAL = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE']);

/** @param entry its path in the archive. @returns an error that names the entry and the reason; others as they are */
export function entryError(error: unknown, entry: string, isLink: boolean): unknown {
  const reason = errorCode(error);
  if (error instanceof DriveError || reason === undefined || GENERAL.has(reason)) return error;
  const name = readablePath(entry).slice(0, 200);
  const params = { entry: name, path: name, reason };
  return new DriveError('local_file', { text: textFor(reason, isLink), params, reason });
}

function textFor(reason: string, isLink: boolean): TextWith<'entry' | 'path' | 'reason'> {
  if (isLink && NO_LINKS.has(reason)) return 'local_file_entry_link';
  if (NO_NAME.has(reason)) return 'local_file_entry_name';
  return reason === 'EFBIG' ? 'local_file_too_large' : 'local_file_entry';
}
