/**
 * The path on disk that a download writes to: checked before the first byte, and replaced in one step by the complete
 * part file.
 */
import type { Stats } from 'node:fs';
import { lstat, open, rename, rm, realpath, stat } from 'node:fs/promises';
import { join, basename, dirname, sep } from 'node:path';
import { DriveError, errorCode } from '../../errors';
import { flushToDisk, makeFolders } from '../../fs/durable';
import { type FileCalls, THREAD_CALLS } from '../../fs/file-calls';
import { localFileError } from '../../fs/local-file-error';
import { numberedName } from '../../core/names';
import { truncateName } from '../../fs/safe-name';
import { PinnedFolder, READ_UNLINKED_FLAGS } from '../../fs/pinned-folder';
import { isReservedName } from '../../fs/reserved-names';

/** What to do if the file exists: `rename` adds a number to the new file's name. */
export type OverwritePolicy = 'replace' | 'rename' | 'error';

/** Bytes of a file name that leave room for ` (123)`. */
const MAX_NUMBERED_NAME = 245;

/**
 * Called before the content is fetched, so that a download that can't be committed doesn't start.
 * @throws `conflict` with the policy `error`, `local_file` if the target can't be replaced
 */
export async function checkExisting(target: NamedTarget, overwrite: OverwritePolicy): Promise<void> {
  if (overwrite !== 'rename') await checkFile(target, target.name, overwrite);
}

/** @returns the existing file or link */
async function checkFile(
  target: NamedTarget,
  name: string,
  overwrite: OverwritePolicy,
): Promise<Stats | undefined> {
  const path = join(target.folder, name);
  const existing = await lstat(target.pinned.pathOf(name)).catch(() => undefined);
  if (!existing) return undefined;
  if (overwrite === 'error') throw existingFile(path);
  if (existing.isDirectory()) {
    const params = { path, reason: 'EISDIR' };
    throw new DriveError('local_file', { text: 'local_file_folder_there', params });
  }
  if (!existing.isFile() && !existing.isSymbolicLink()) throw notRegularFile(path);
  return existing;
}

/**
 * At every instant the name refers to the old file or to the complete new one.
 * @returns the path of the file
 */
export async function commit(
  partPath: string,
  target: NamedTarget,
  overwrite: OverwritePolicy,
): Promise<string> {
  try {
    await target.pinned.check();
    for (let number = 0; ; number++) {
      const name = number === 0 ? target.name : nameWithNumber(target.name, number);
      const path = join(target.folder, name);
      if (overwrite === 'replace') {
        const existing = await checkFile(target, name, overwrite);
        if (existing?.isFile()) await keepAccess(partPath, existing);
        await rename(partPath, target.pinned.pathOf(name));
      } else if (!(await renameIfFree(partPath, target.pinned.pathOf(name)))) {
        if (overwrite === 'error') throw existingFile(path);
        continue;
      }
      await flushToDisk(target.pinned.path);
      return path;
    }
  } catch (error) {
    throw localFileError(error, target.path);
  }
}

const GROUP_ACCESS = 0o070;

/** Another group gets the access of other users. */
const forOtherGroup = (mode: number): number => (mode & ~GROUP_ACCESS) | ((mode & 0o007) << 3);

/**
 * Gives a part file the permissions and owner of the file that it replaces, as far as that is possible: only root may
 * give files to others, and some file systems have neither.
 */
export async function keepAccess(partPath: string, { uid, gid, mode }: Stats): Promise<void> {
  const handle = await open(partPath, READ_UNLINKED_FLAGS);
  try {
    const own = await handle.stat();
    // A user of the folder may have put another file in place of the part.
    if (!own.isFile() || own.nlink > 1) return;
    const isSameGroup =
      own.gid === gid ||
      (await handle.chown(own.uid, gid).then(
        () => true,
        () => false,
      ));
    const access = isSameGroup ? mode & 0o777 : forOtherGroup(mode & 0o777);
    if ((own.mode & 0o777) !== access) await handle.chmod(access).catch(() => undefined);
    // Never a file that someone else has put there.
    if (own.uid !== uid && own.uid === process.geteuid?.())
      await handle.chown(uid, isSameGroup ? gid : own.gid).catch(() => undefined);
  } finally {
    await handle.close();
  }
}

function nameWithNumber(name: string, number: number): string {
  return numberedName(truncateName(name, MAX_NUMBERED_NAME), number);
}

function existingFile(path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_local_file', params: { path } });
}

/** @returns false if the name is taken. Only one of several concurrent callers gets a name. */
export async function renameIfFree(partPath: string, path: string, calls = THREAD_CALLS): Promise<boolean> {
  if (await linkTo(partPath, path, calls)) {
    // `rm` would look at it twice before.
    await calls.unlink(partPath);
    return true;
  }
  // The name is taken, or the file system has no hard links (FAT). An empty file reserves the name there.
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  return replaceEmpty(partPath, path);
}

/** Unlike `rename`, `link` fails if the name is taken. */
async function linkTo(partPath: string, path: string, calls: FileCalls): Promise<boolean> {
  try {
    await calls.link(partPath, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOSPC') throw error;
    return false;
  }
}

/** @returns false if something has been written to the file that reserved the name */
async function replaceEmpty(partPath: string, path: string): Promise<boolean> {
  if (!(await isEmpty(path))) return false;
  try {
    await rename(partPath, path);
    return true;
  } catch (error) {
    if (await isEmpty(path)) await rm(path, { force: true });
    throw error;
  }
}

async function isEmpty(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true && stats.size === 0;
}

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
interface NamedTarget extends DownloadTarget {
  name: string;
}

/**
 * Creates missing parent folders.
 * @returns with an open folder, which has to be closed
 * @throws `invalid_input` for a reserved name, `local_file` for a path that can't be written to, such as a device, a
 *   FIFO or a path below a file
 */
export async function openTarget(path: string): Promise<DownloadTarget> {
  try {
    const target = await inspectPath(path);
    if (target.name !== undefined && isReservedName(target.name)) throw reservedName(path);
    await makeFolders(target.folder);
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

function notRegularFile(path: string): DriveError {
  const params = { path, reason: 'not a regular file' };
  return new DriveError('local_file', { text: 'local_file_not_regular', params });
}
