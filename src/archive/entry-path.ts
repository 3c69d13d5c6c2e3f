/** Paths of entries in an archive, which may come from anyone. */
import { DriveError } from '../errors';
import { safeName } from '../download/safe-name';

const TEXTS = {
  path: 'bad_response_archive_path',
  link: 'bad_response_archive_link',
  type: 'bad_response_archive_type',
  collision: 'bad_response_archive_collision',
} as const;

export type EntryProblem = keyof typeof TEXTS;

/** The error of an archive with an entry that can't be restored safely. */
export function badEntry(problem: EntryProblem, archive: string, entry: string): DriveError {
  const params = { name: archive, entry: entry.slice(0, 200) };
  return new DriveError('bad_response', { text: TEXTS[problem], params });
}

/**
 * @param isWindows whether names have to be valid on Windows, where `:` and `\` have a meaning
 * @returns the path without `.` and empty names, `''` for the archive's own folder; undefined if it is absolute, contains
 *   `..` or isn't a name on this system
 */
export function relativePath(name: string, isWindows = process.platform === 'win32'): string | undefined {
  if (name.startsWith('/') || name.includes('\0')) return undefined;
  const names = name.split('/').filter((part) => part !== '' && part !== '.');
  if (names.includes('..')) return undefined;
  if (isWindows && names.some((part) => safeName(part) !== part)) return undefined;
  return names.join('/');
}

/** Names that are the same on a disk that ignores case, or the form of Unicode. */
function foldName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Finds different names that would be the same file on a disk that ignores case. */
export class CaseCollisions {
  private readonly names = new Map<string, string>();

  /** @returns true if the path, or a folder in it, differs only in case from an earlier one */
  has(path: string): boolean {
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const prefix = end === -1 ? path : path.slice(0, end);
      const key = foldName(prefix);
      const known = this.names.get(key);
      if (known === undefined) this.names.set(key, prefix);
      else if (known !== prefix) return true;
      if (end === -1) return false;
    }
  }
}
