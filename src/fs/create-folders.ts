/** Creates folders on disk. Existing ones are no error. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../errors';

/**
 * Also creates missing parents. Not with `recursive: true`, which never returns on some Node versions for paths that
 * can't be created, as in /proc.
 */
export async function createFolders(folder: string): Promise<void> {
  try {
    await createFolder(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await createFolders(dirname(folder));
    await createFolder(folder);
  }
}

export async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) throw error;
  }
}
