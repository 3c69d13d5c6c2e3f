/** File system operations that have to survive a power failure or a folder without write permission. */
import { execFile } from 'node:child_process';
import type { Dirent, Stats } from 'node:fs';
import { chmod, lstat, open, rename, rmdir, stat, unlink, mkdir, realpath } from 'node:fs/promises';
import { join, dirname, basename } from 'node:path';
import { errorCode } from '../errors';
import { diskPath, openFolder, withName } from './path-bytes';
import { openChild } from './tree';

export const OWNER_ALL = 0o700;

/** Flushes a file or a folder to disk. Windows neither supports nor needs this for folders. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(diskPath(path), 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Flushes all files of the folder's file system to disk with syncfs(2), which Node.js doesn't have: on a slow disk,
 * fsync(2) for each of many small files takes minutes. Does nothing where there is no such program.
 * @throws `EIO`, `ENOSPC` or `EDQUOT` if something can't be written: some disks say so only now, although they are full
 */
export async function flushFileSystem(folder: string, signal: AbortSignal | undefined): Promise<void> {
  if (process.platform === 'win32') return;
  const args = process.platform === 'linux' ? ['-f', folder] : [];
  const options = { signal, env: { ...process.env, LC_ALL: 'C' } };
  await new Promise<void>((resolve, reject) => {
    execFile('sync', args, options, (error, _stdout, stderr) => {
      const [, code] = (error && WRITE_ERRORS.find(([text]) => text.test(stderr))) ?? [];
      if (code === undefined) resolve();
      else reject(Object.assign(new Error(`${code}: not on disk, '${folder}'`), { code }));
    });
  });
}

/** As glibc and musl describe them. Other errors, such as an unknown option, say nothing about the disk. */
const WRITE_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/Input\/output error|I\/O error/, 'EIO'],
  [/No space left on device/, 'ENOSPC'],
  [/quota exceeded/i, 'EDQUOT'],
];

/** @returns false for a missing file or one below a missing folder */
export async function exists(path: string): Promise<boolean> {
  return (await statsOf(path)) !== undefined;
}

/** @returns undefined for a missing file or one below a missing folder. Doesn't follow a symbolic link. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(diskPath(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const BATCH = 256;

/**
 * Yields the entries of a folder, a limited number at once: the names in a large folder take a lot of memory and time.
 */
export async function* entryBatches(folder: string): AsyncGenerator<Dirent[]> {
  let batch: Dirent[] = [];
  for await (const entry of await openFolder(folder)) {
    batch.push(withName(entry));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export async function isEmptyFolder(folder: string): Promise<boolean> {
  for await (const batch of entryBatches(folder)) return batch.length === 0;
  return true;
}

/** Renames a file, link or folder. Only root may move a folder that isn't writable to another parent. */
export async function renameEntry(from: string, to: string): Promise<void> {
  try {
    await rename(diskPath(from), diskPath(to));
  } catch (error) {
    const mode = isDenied(error) ? await folderMode(from) : undefined;
    if (mode === undefined || (mode & OWNER_ALL) === OWNER_ALL) throw error;
    const folder = await openChild(from);
    try {
      await chmod(folder.path, mode | OWNER_ALL);
      await rename(diskPath(from), diskPath(to));
    } finally {
      await chmod(folder.path, mode).catch(() => chmod(diskPath(to), mode));
      await folder.close();
    }
  }
}

/** Removes a file, or a folder with its content, also where folders in it aren't writable. Follows no symbolic link. */
export async function removeTree(path: string): Promise<void> {
  if ((await folderMode(path)) === undefined) return unlinkIfThere(path);
  const folder = await openChild(path);
  try {
    await removeEntries(folder.path);
  } finally {
    await folder.close();
  }
  await rmdir(diskPath(path));
}

async function removeEntries(folder: string): Promise<void> {
  const { mode } = await stat(diskPath(folder));
  if ((mode & OWNER_ALL) !== OWNER_ALL) await chmod(diskPath(folder), (mode & 0o7777) | OWNER_ALL);
  const folders: string[] = [];
  for await (const batch of entryBatches(folder)) {
    const isFolder = (entry: Dirent): boolean => entry.isDirectory();
    for (const entry of batch) if (isFolder(entry)) folders.push(entry.name);
    const others = batch.filter((entry) => !isFolder(entry));
    await Promise.all(others.map(({ name }) => unlinkIfThere(join(folder, name))));
  }
  for (const name of folders) await removeTree(join(folder, name));
}

/** Also if it has vanished. */
async function unlinkIfThere(path: string): Promise<void> {
  await unlink(diskPath(path)).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

async function folderMode(path: string): Promise<number | undefined> {
  const stats = await lstat(diskPath(path)).catch(() => undefined);
  return stats?.isDirectory() ? stats.mode & 0o7777 : undefined;
}

function isDenied(error: unknown): boolean {
  return errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM' || errorCode(error) === 'ENOTEMPTY';
}

/**
 * @param time seconds since 1970, in whole microseconds
 * @returns the next number whose distance from 1970 isn't less than the time's: some versions of Node.js cut off what a
 *   number is below the microsecond, and others set its nanoseconds. Node.js takes a negative number for the current
 *   time, but not a string; a Date has no microseconds.
 */
export function fileTime(time: number): number | string {
  const distance = Math.abs(time);
  const microseconds = (distance % 1) * 1e6;
  const isLess = microseconds < Math.round(microseconds);
  const next = isLess ? distance + 2 ** (Math.floor(Math.log2(distance)) - 52) : distance;
  return time < 0 ? `-${next}` : next;
}

/**
 * Also creates missing parents. Not with `recursive: true`, which never returns on some Node versions for paths that
 * can't be created, as in /proc.
 */
export async function makeFolders(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolders(dirname(folder));
    await makeFolder(folder);
  }
}

export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw error;
  }
}

/** @param path absolute; it may be missing. @returns it without symbolic links in the part that exists */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
