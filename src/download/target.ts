/** Where a download ends: which file, and what happens where there is one already. */
import { link, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { DriveError, localFileError } from '../errors';
import { numberedName } from '../files/numbered-name';
import { fitted, safeName } from './safe-name';

export type Overwrite = 'replace' | 'rename' | 'error';

export interface Target {
  /** As the user gave it. */
  path: string;
  folder: string;
  /** Undefined where the file's own name is taken. */
  name: string | undefined;
}

/** Bytes left for ` (123)` in a name of 255. */
const LONGEST_NUMBERED = 245;

/**
 * Looks what is at a path, and makes the folders that lead to it.
 * @throws `local_file` for what can't be written to: a device, a FIFO, a folder that is a file, …
 */
export async function findTarget(path: string): Promise<Target> {
  try {
    const target = await lookAt(path);
    await makeFolders(target.folder);
    return target;
  } catch (error) {
    throw localFileError(isCode(error, 'EEXIST') ? Object.assign(error, { code: 'ENOTDIR' }) : error, path);
  }
}

/** One by one: on a path that can't be made (in /proc, say) Node's own `recursive` never ends on some versions. */
async function makeFolders(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
  } catch (error) {
    if (!isCode(error, 'ENOENT') || dirname(folder) === folder) throw error;
    await makeFolders(dirname(folder));
    await makeFolder(folder);
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw error;
  }
}

async function lookAt(path: string): Promise<Target> {
  const isFolderPath = path.endsWith(sep) || path.endsWith('/');
  const there = await stat(path).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (isFolderPath || there?.isDirectory()) return { path, folder: path, name: undefined };
  if (there && !there.isFile()) throw notRegular(path);
  // The file behind a link is replaced, not the link.
  const real = there && (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  return { path, folder: dirname(real), name: basename(real) };
}

/** @returns the name that the file gets; its own one is made safe */
export function nameAt(target: Target, own: string): string {
  return target.name ?? safeName(own);
}

/**
 * Looks, before anything is fetched, what there is under the name that the file is to get.
 * @throws `conflict` where it must not be touched, `local_file` where it can't be replaced
 */
export async function refuseExisting(target: Target, name: string, overwrite: Overwrite): Promise<void> {
  // With a number behind it, some name is always free.
  if (overwrite !== 'rename') await refuse(join(target.folder, name), overwrite);
}

async function refuse(path: string, overwrite: Overwrite): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (!there) return;
  if (overwrite === 'error') throw existing(path);
  if (there.isDirectory()) throw unusable('local_file_folder_there', path, 'EISDIR');
  if (!there.isFile() && !there.isSymbolicLink()) throw notRegular(path);
}

/**
 * Gives a finished part file its name. At every instant the name is the old file's or the whole new one's.
 * @returns the path
 */
export async function commit(
  part: string,
  target: Target,
  name: string,
  overwrite: Overwrite,
): Promise<string> {
  try {
    for (let number = 0; ; number++) {
      const path = join(target.folder, numberedFor(name, number));
      if (overwrite === 'replace') {
        await refuse(path, overwrite);
        await rename(part, path);
      } else if (!(await moveToFree(part, path))) {
        if (overwrite === 'error') throw existing(path);
        continue;
      }
      await syncFolder(target.folder);
      return path;
    }
  } catch (error) {
    throw localFileError(error, target.path);
  }
}

function numberedFor(name: string, number: number): string {
  return number === 0 ? name : numberedName(fitted(name, LONGEST_NUMBERED), number);
}

function notRegular(path: string): DriveError {
  return unusable('local_file_not_regular', path, 'not a regular file');
}

function unusable(text: string, path: string, reason: string): DriveError {
  return new DriveError('local_file', { text, params: { path, reason } });
}

function existing(path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_local_file', params: { path } });
}

/** @returns false where the name is taken; of two who want it, one gets it */
async function moveToFree(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
    await rm(part);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOSPC')) throw error;
  }
  // It is taken, or the file system has no links, FAT for one: there it is reserved by an empty file.
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
  await rename(part, path);
  return true;
}

/** So that the new name outlives a power failure. Windows can't, and needn't, do this. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

function isCode(error: unknown, code: string): error is Error {
  return error instanceof Error && 'code' in error && error.code === code;
}
