/** The path on disk that a download writes to. */
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, sep } from 'node:path';
import { DriveError, errorCode } from '../../errors';
import { localFileError } from '../../fs/local-file-error';
import { PinnedFolder } from '../../fs/pinned-folder';
import { createFolders } from '../../fs/create-folders';
import { isReservedName } from '../../fs/reserved-names';

export interface DownloadTarget {
  /** As the user gave it, for error messages. */
  path: string;
  folder: string;
  /** File name in the folder; undefined if the path is a folder and the file keeps its own name. */
  name: string | undefined;
  /** The folder, which no link can replace while the download runs. */
  pinned: PinnedFolder;
}

/** A target whose file name is known. */
export interface NamedTarget extends DownloadTarget {
  name: string;
}

/**
 * Creates missing parent folders.
 * @returns with an open folder, which has to be closed
 * @throws `invalid_input` for a reserved name, `local_file` for a path that can't be written to, such as a device, a
 *   FIFO or a path below a file
 */
export async function resolveTarget(path: string): Promise<DownloadTarget> {
  try {
    const target = await inspectPath(path);
    if (target.name !== undefined && isReservedName(target.name)) throw reservedName(path);
    await createFolders(target.folder);
    return { ...target, pinned: await PinnedFolder.open(await realpath(target.folder)) };
  } catch (error) {
    throw localFileError(errorCode(error) === 'EEXIST' ? { code: 'ENOTDIR' } : error, path);
  }
}

async function inspectPath(path: string): Promise<Omit<DownloadTarget, 'pinned'>> {
  const existing = await stat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const isFolder = path.endsWith(sep) || path.endsWith('/') || existing?.isDirectory();
  if (isFolder) return { path, folder: path, name: undefined };
  if (existing && !existing.isFile()) throw notRegularFile(path);
  // A symbolic link stays; the file that it points to is replaced.
  const file = existing && (await lstat(path)).isSymbolicLink() ? await realpath(path) : path;
  // Node.js can't say where a link leads if the name isn't valid UTF-8.
  if (existing && (await stat(file)).ino !== existing.ino) throw notRegularFile(path);
  return { path, folder: dirname(file), name: basename(file) };
}

function reservedName(path: string): DriveError {
  return new DriveError('invalid_input', { text: 'invalid_input_filename_reserved', params: { path } });
}

export function notRegularFile(path: string): DriveError {
  const params = { path, reason: 'not a regular file' };
  return new DriveError('local_file', { text: 'local_file_not_regular', params });
}
