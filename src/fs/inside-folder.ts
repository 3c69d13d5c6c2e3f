/** Whether files are in a folder. A path leads elsewhere once someone replaces a folder on it by a link. */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors';
import { openedPath, replacedFolder } from './pinned-folder';

/** @param folder, target absolute, without symbolic links. @returns also true for the folder itself */
export function isInside(folder: string, target: string): boolean {
  const relative = path.relative(folder, target);
  return !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
}

/** A FIFO that has taken the file's place since it was listed must not block. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for reading.
 * @param folder that has to contain the file, absolute, without symbolic links; undefined if it may be anywhere
 * @param hasProc whether the system is Linux
 * @throws `local_file` if the path leads out of the folder, and errors of the file system
 */
export async function openInside(
  file: string,
  folder: string | undefined,
  hasProc = process.platform === 'linux',
): Promise<FileHandle> {
  const handle = await open(file, FLAGS).catch((error: unknown) => {
    // Another program has a lease of the file, such as Samba. No FIFO has this error.
    if (errorCode(error) === 'EAGAIN') return open(file, 'r');
    throw error;
  });
  try {
    const opened = hasProc ? openedPath(handle) : undefined;
    const isIn =
      folder === undefined ||
      (opened !== undefined && isInside(folder, opened)) ||
      (await isHandleInside(handle, file, folder));
    if (!isIn) throw replacedFolder(file);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Without /proc, and where Linux spells a name in another case than the folder's path. */
async function isHandleInside(handle: FileHandle, file: string, folder: string): Promise<boolean> {
  const target = await realpath(file);
  if (!isInside(folder, target)) return false;
  const [own, found] = [await handle.stat({ bigint: true }), await stat(target, { bigint: true })];
  return own.ino === found.ino;
}
