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

/** @returns where the longest folder of `path` ends that is also a folder of `other`, or `other` itself; -1 if there is none */
function commonFolderEnd(path: string, other: string): number {
  let end = -1;
  for (let index = 0; index <= other.length; index++) {
    const isNameEnd = index === other.length || other[index] === '/';
    if (isNameEnd && path[index] === '/') end = index;
    if (path[index] !== other[index]) break;
  }
  return end;
}

/**
 * Keys with one value each, of which only hashes are stored, so that 200,000 take 6 MiB. Among as many, two different keys
 * have the same hash with a probability of one to a billion.
 */
class HashedPairs {
  /** For each pair two numbers for the key and one for the value; 0 where there is none. */
  private slots = new Uint32Array(3 * 1_024);
  private count = 0;

  /** @returns false if the key has another value */
  add(key: string, value: string): boolean {
    if (4 * this.count >= this.slots.length) this.grow();
    const [first, second] = hash(key);
    const [, own] = hash(value);
    const slot = this.find(first, second);
    if (this.slots[slot] === first) return this.slots[slot + 2] === own;
    this.slots.set([first, second, own], slot);
    this.count += 1;
    return true;
  }

  /** @returns the position of the key, or of the free slot for it */
  private find(first: number, second: number): number {
    const { slots } = this;
    let slot = 3 * (second % (slots.length / 3));
    while (slots[slot] !== 0 && (slots[slot] !== first || slots[slot + 1] !== second))
      slot = (slot + 3) % slots.length;
    return slot;
  }

  private grow(): void {
    const old = this.slots;
    this.slots = new Uint32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 3) {
      const [first = 0, second = 0, value = 0] = old.subarray(slot, slot + 3);
      if (first !== 0) this.slots.set([first, second, value], this.find(first, second));
    }
  }
}

/** Two hashes in one pass: Node's own take ten times as long for short texts. @returns 63 bits; the first number isn't 0 */
function hash(text: string): [number, number] {
  let [first, second] = [0x811c9dc5, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
    // Without these, the upper bits would never change the lower ones.
    first ^= first >>> 15;
    second ^= second >>> 13;
  }
  return [(first | 1) >>> 0, second >>> 0];
}
