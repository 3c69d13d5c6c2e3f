/** Mount points: their content belongs to another file system and can't be renamed into a folder outside. */
import { randomBytes } from 'node:crypto';
import { lstat, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../errors';
import { decodePath, diskPath } from './path-bytes';

export type IsMountPoint = (folder: string) => Promise<boolean>;

/**
 * @param top absolute, without symbolic links
 * @returns whether a folder below `top` is a mount point. Linux lists them, also those within one file system;
 *   elsewhere the device numbers are compared.
 */
export async function findMountPoints(top: string): Promise<IsMountPoint> {
  const listed = await listedMountPoints();
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
 * The fifth field of each line, in which spaces are `\040`:
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
async function listedMountPoints(): Promise<ReadonlySet<string>> {
  const text = await readFile('/proc/self/mountinfo').then(decodePath, () => '');
  const paths = text.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return new Set(
    paths.map((path) =>
      path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
    ),
  );
}
