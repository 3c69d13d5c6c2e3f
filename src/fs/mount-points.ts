/** Mount points: their content belongs to another file system and can't be renamed into a folder outside. */
import { randomBytes } from 'node:crypto';
import { lstat, readFile, realpath, rename, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { errorCode } from '../errors';
import { isEmptyFolder } from './durable';
import { isInside } from './pinned-folder';
import { decodePath, diskPath } from './path-bytes';
import type { SourceSelection } from './walk-sources';

export type IsMountPoint = (folder: string) => Promise<boolean>;

/**
 * @param top absolute, without symbolic links
 * @returns whether a folder below `top` is a mount point. Linux lists them, also those within one file system;
 *   elsewhere the device numbers are compared.
 */
export async function findMountPoints(top: string): Promise<IsMountPoint> {
  const listed = new Set((await listedMountPoints()).map(({ path }) => path));
  const { dev } = await lstat(top);
  return async (folder) => listed.has(folder) || (await lstat(diskPath(folder))).dev !== dev;
}

/** @returns true if a file in the folder's parent can't be renamed into the folder */
export async function isMounted(folder: string): Promise<boolean> {
  const parent = dirname(folder);
  const [own, above] = await Promise.all([lstat(folder), lstat(parent)]);
  if (own.dev !== above.dev) return true;
  try {
    // Linux compares the mounts before it looks for the file, whose name nobody can guess and create.
    const name = `.missing-${randomBytes(8).toString('hex')}`;
    await rename(join(parent, name), join(folder, name));
    return false;
  } catch (error) {
    return errorCode(error) === 'EXDEV';
  }
}

/**
 * A folder in a source, or a source, that a disk is mounted at: the path as the user knows it. It begins with `=` if
 * the disk is the same as for the folder above, as with `mount --bind`.
 */
export type SourceMount = string;

/** Linux only. */
export interface SourceMounts {
  all: ReadonlySet<SourceMount>;
  /** Those from which a backup has content, sorted. */
  used: readonly SourceMount[];
}

/** @param expected mount points that the system may mount only when they are used */
export async function findSourceMounts(
  selection: SourceSelection,
  expected: readonly SourceMount[] = [],
): Promise<SourceMounts> {
  const { sources, isExcluded } = selection;
  const all = new Set<SourceMount>();
  for (const path of expected.map(pathOfMount)) {
    if (!mayBeUsed(path, selection)) continue;
    await stat(diskPath(join(path, '.'))).catch(() => undefined);
    // Whatever the system lists, the folder above is on another disk.
    if ((await sourceMount(path, path)) === path) all.add(path);
  }
  const listed = await listedMountPoints();
  const used = new Set<SourceMount>();
  for (const source of sources) {
    const top = await realpath(source, { encoding: 'buffer' }).then(decodePath, () => undefined);
    for (const { path, isDisk } of listed) {
      if (top === undefined || !isDisk || !isInside(top, path)) continue;
      const inSource = relative(top, path);
      const shown = join(source, inSource);
      // Not even looked at: a network drive whose server is off wouldn't answer.
      const isSkipped = isLeftOut(inSource, isExcluded);
      const mount = isSkipped ? shown : await sourceMount(path, shown);
      if (mount === undefined) continue;
      all.add(mount);
      if (!isSkipped && !(await isEmptyFolder(path).catch(() => false))) used.add(mount);
    }
  }
  return { all, used: [...used].sort() };
}

/**
 * Once the sources are read.
 * @param expected those of the backup before
 * @returns those that aren't mounted any more; `used` are all that the next backup has to have
 */
export async function compareMounts(
  selection: SourceSelection,
  atStart: SourceMounts,
  expected: readonly SourceMount[],
): Promise<{ lost: SourceMount[]; used: SourceMount[] }> {
  const before = [...expected, ...atStart.used];
  const now = await findSourceMounts(selection, before);
  const lost = lostMounts(before, now, selection);
  return { lost, used: [...new Set([...atStart.used, ...now.used, ...lost])].sort() };
}

/** Without those that are excluded now. */
function lostMounts(
  before: Iterable<SourceMount>,
  now: SourceMounts,
  selection: SourceSelection,
): SourceMount[] {
  const isLost = (mount: SourceMount): boolean => {
    const path = pathOfMount(mount);
    return !now.all.has(mount) && !now.all.has(path) && mayBeUsed(path, selection);
  };
  return [...new Set(before)].filter(isLost);
}

/** A path that isn't known can't be excluded. */
function mayBeUsed(path: string, { sources, isExcluded }: SourceSelection): boolean {
  const around = sources.filter((source) => isAbsolute(path) && isInside(source, path));
  return around.length === 0 || around.some((source) => !isLeftOut(relative(source, path), isExcluded));
}

export function pathOfMount(mount: SourceMount): string {
  return mount.replace(/^=/, '');
}

/** @returns undefined for a mounted file, or one that isn't accessible */
async function sourceMount(path: string, shown: string): Promise<SourceMount | undefined> {
  try {
    const [own, above] = await Promise.all([lstat(diskPath(path)), lstat(diskPath(dirname(path)))]);
    if (!own.isDirectory()) return undefined;
    return own.dev === above.dev ? `=${shown}` : shown;
  } catch {
    return undefined;
  }
}

/** @param path relative to its source */
function isLeftOut(path: string, isExcluded: SourceSelection['isExcluded']): boolean {
  const names = path.split('/');
  return names.some((_, index) => path !== '' && isExcluded(names.slice(0, index + 1).join('/'), true));
}

/** What the system itself mounts, such as for a container that runs. */
const NO_DISKS = [
  'autofs',
  'overlay',
  'squashfs',
  'fuse.snapfuse',
  'tmpfs',
  'ramfs',
  'proc',
  'sysfs',
  'devtmpfs',
  'devpts',
  'mqueue',
];

/**
 * Paths are in the fifth field of each line, in which spaces are `\040`:
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
async function listedMountPoints(): Promise<{ path: string; isDisk: boolean }[]> {
  const text = await readFile('/proc/self/mountinfo').then(decodePath, () => '');
  return text.split('\n').flatMap((line) => {
    const [, , , root, path] = line.split(' ');
    if (path === undefined) return [];
    const [type = ''] = line.slice(line.indexOf(' - ') + 3).split(' ');
    const unescaped = path.replace(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(parseInt(octal, 8)),
    );
    return [{ path: unescaped, isDisk: root !== '/' || !NO_DISKS.includes(type) }];
  });
}
