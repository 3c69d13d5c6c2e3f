/** The path on disk that a download writes to. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, sep } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { localFileError } from '../local-file-error';
import { createFolders } from './create-folders';

export interface DownloadTarget {
  /** As the user gave it, for error messages. */
  path: string;
  folder: string;
  /** File name in the folder; undefined if the path is a folder and the file keeps its own name. */
  name: string | undefined;
}

/** A target whose file name is known. */
export interface NamedTarget extends DownloadTarget {
  name: string;
}

/**
 * Creates missing parent folders.
 * @throws `local_file` for a path that can't be written to, such as a device, a FIFO or a path below a file
 */
export async function resolveTarget(path: string): Promise<DownloadTarget> {
  try {
    const target = await inspectPath(path);
    await createFolders(target.folder);
    return target;
  } catch (error) {
    throw localFileError(errorCode(error) === 'EEXIST' ? { code: 'ENOTDIR' } : error, path);
  }
}

async function inspectPath(path: string): Promise<DownloadTarget> {
  const existing = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const isFolder = path.endsWith(sep) || path.endsWith('/') || existing?.isDirectory();
  if (isFolder) return { path, folder: path, name: undefined };
  if (existing && !existing.isFile()) throw notRegularFile(path);
  // A symbolic link stays; the file that it points to is replaced.
  const file = existing && (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  return { path, folder: dirname(file), name: basename(file) };
}

export function notRegularFile(path: string): DriveError {
  const params = { path, reason: 'not a regular file' };
  return new DriveError('local_file', { text: 'local_file_not_regular', params });
}
