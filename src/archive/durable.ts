/** File system operations that have to survive a power failure or a folder without write permission. */
import { execFile } from 'node:child_process';
import type { Dirent, Stats } from 'node:fs';
import { chmod, lstat, open, opendir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors';

const OWNER_ALL = 0o700;

/** Flushes a file or a folder to disk. Windows neither supports nor needs this for folders. */
export async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/**
 * Flushes all files of the folder's file system to disk with syncfs(2), which Node.js doesn't have: on a slow disk,
 * fsync(2) for each of many small files takes minutes. Does nothing where there is no such program.
 */
export async function flushFileSystem(folder: string, signal: AbortSignal | undefined): Promise<void> {
  if (process.platform === 'win32') return;
  const options = process.platform === 'linux' ? ['-f', folder] : [];
  await new Promise<void>((resolve) => execFile('sync', options, { signal }, () => resolve()));
}

/** @returns false for a missing file or one below a missing folder */
export async function exists(path: string): Promise<boolean> {
  return (await statsOf(path)) !== undefined;
}

/** @returns undefined for a missing file or one below a missing folder. Doesn't follow a symbolic link. */
export async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

const BATCH = 256;

/** Yields the entries of a folder, a limited number at once: the names in a large folder take a lot of memory and time. */
export async function* entryBatches(folder: string): AsyncGenerator<Dirent[]> {
  let batch: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: BATCH })) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Renames a file, link or folder. Only root may move a folder that isn't writable to another parent. */
export async function renameEntry(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    const mode = isDenied(error) ? await folderMode(from) : undefined;
    if (mode === undefined || (mode & OWNER_ALL) === OWNER_ALL) throw error;
    await chmod(from, mode | OWNER_ALL);
    let path = from;
    try {
      await rename(from, to);
      path = to;
    } finally {
      await chmod(path, mode);
    }
  }
}

/** Removes a folder with its content, also where folders in it aren't writable. */
export async function removeTree(path: string): Promise<void> {
  // What fails here is left to `rm`, which tries again and reports it, but starts on all entries of a folder at once.
  await removeEntries(path).catch(() => undefined);
  await rm(path, { recursive: true, force: true });
}

async function removeEntries(folder: string): Promise<void> {
  const mode = await folderMode(folder);
  if (mode === undefined) return;
  if ((mode & OWNER_ALL) !== OWNER_ALL) await chmod(folder, mode | OWNER_ALL);
  const folders: string[] = [];
  for await (const batch of entryBatches(folder)) {
    const isFolder = (entry: Dirent): boolean => entry.isDirectory();
    folders.push(...batch.filter(isFolder).map(({ name }) => name));
    const others = batch.filter((entry) => !isFolder(entry));
    await Promise.all(others.map(({ name }) => unlink(join(folder, name))));
  }
  for (const name of folders) await removeEntries(join(folder, name));
  await rmdir(folder);
}

async function folderMode(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ? stats.mode & 0o7777 : undefined;
}

function isDenied(error: unknown): boolean {
  return errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM' || errorCode(error) === 'ENOTEMPTY';
}

/**
 * @param time seconds since 1970, in whole microseconds
 * @returns the next number that isn't less than the time: some versions of Node.js cut off what a number is below the
 *   microsecond, and others set its nanoseconds. Node.js takes a negative number for the current time, but not a Date.
 */
export function fileTime(time: number): number | Date {
  if (time < 0) return new Date(time * 1_000);
  const microseconds = (time % 1) * 1e6;
  const isLess = microseconds < Math.round(microseconds);
  return isLess ? time + 2 ** (Math.floor(Math.log2(time)) - 52) : time;
}
