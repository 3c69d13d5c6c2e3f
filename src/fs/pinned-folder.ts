/**
 * A folder that stays the same while something is written into it. The system looks up a path again for each call, and
 * anyone who may write to a folder on the way can replace it by a symbolic link in between. On Linux, the folder is
 * opened, and /proc/self/fd/N leads to it whatever happens to its path. Elsewhere, {@link PinnedFolder.check} looks for
 * links before each change. https://man7.org/linux/man-pages/man7/symlink.7.html
 */
import { constants, readlinkSync } from 'node:fs';
import { type FileHandle, lstat, open, statfs, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, parse, relative, sep } from 'node:path';
import { DriveError, errorCode } from '../errors';
import { diskPath } from './path-bytes';

/**
 * Opens a folder without permission to list it. Node.js doesn't export the number, which is the same wherever it runs.
 */
const O_PATH = 0o10000000;

export class PinnedFolder {
  private isClosed = false;
  private type: Promise<number | undefined> | undefined;

  private constructor(
    private readonly ownPath: string,
    private readonly folder: string,
    private readonly opened: PinnedHandle | undefined,
  ) {}

  /**
   * @param folder absolute, without symbolic links
   * @param hasProc whether the system is Linux
   * @throws `local_file` if there is a link or a file in the path, and errors of the file system
   */
  static async open(folder: string, hasProc = process.platform === 'linux'): Promise<PinnedFolder> {
    if (hasProc) {
      const opened = await openPinned(folder);
      if (opened) return new PinnedFolder(descriptorPath(opened.handle), folder, opened);
    }
    await checkPath(folder);
    return new PinnedFolder(folder, folder, undefined);
  }

  /** For calls of the file system. @throws after {@link close}: it may lead to another folder that was opened since */
  get path(): string {
    if (this.isClosed) throw new Error(`${this.folder} is closed`);
    return this.ownPath;
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** Call it before a change if time has passed. @throws `local_file` if something else has its path now */
  async check(): Promise<void> {
    if (!this.opened) return checkPath(this.folder);
    const { handle, realPath } = this.opened;
    if (readlinkSync(descriptorPath(handle)) !== realPath) throw replacedFolder(this.folder);
  }

  /** Whether it is on one of Linux's file systems for local disks. */
  async isLocal(): Promise<boolean> {
    if (process.platform !== 'linux') return false;
    this.type ??= fileSystemType(this.path);
    return isLinuxFileSystem(await this.type);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.opened?.handle.close();
  }
}

/** Runs `work` while the folder is open. */
export async function withPinnedFolder<T>(
  folder: string,
  work: (folder: PinnedFolder) => Promise<T>,
): Promise<T> {
  const pinned = await PinnedFolder.open(folder);
  try {
    return await work(pinned);
  } finally {
    await pinned.close();
  }
}

interface PinnedHandle {
  handle: FileHandle;
  /** As the system spells it. */
  realPath: string;
}

/** @returns undefined without /proc, as in some sandboxes */
async function openPinned(folder: string): Promise<PinnedHandle | undefined> {
  const handle = await openPath(folder, folder);
  const realPath = openedPath(handle);
  if (realPath === folder) return { handle, realPath };
  await handle.close();
  if (realPath === undefined) return undefined;
  // There is a link in the path, or the disk spells a name in another case.
  return openStepByStep(folder);
}

async function openStepByStep(folder: string): Promise<PinnedHandle> {
  const { root } = parse(folder);
  let handle = await openPath(root, folder);
  for (const name of namesIn(folder)) {
    const parent = handle;
    try {
      handle = await openPath(join(descriptorPath(parent), name), folder);
    } finally {
      await parent.close();
    }
  }
  return { handle, realPath: readlinkSync(descriptorPath(handle)) };
}

/** @param folder for the error */
async function openPath(path: string, folder: string): Promise<FileHandle> {
  try {
    return await openWithoutLink(path);
  } catch (error) {
    throw errorCode(error) === 'ENOTDIR' || errorCode(error) === 'ELOOP' ? replacedFolder(folder) : error;
  }
}

/** Only on Linux. @param path whose last name isn't followed if it is a link. @throws `ENOTDIR` */
export function openWithoutLink(path: string | Buffer): Promise<FileHandle> {
  return open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH);
}

/** Bytes of a path on Linux, with the null byte at its end. */
const PATH_MAX = 4096;

/** In an open folder, a file can be used that can't be opened by its path. @throws `ENAMETOOLONG` for one */
export function checkLength(path: string): void {
  if (process.platform === 'linux' && Buffer.byteLength(diskPath(path)) >= PATH_MAX)
    throw Object.assign(new Error(`ENAMETOOLONG: name too long, '${path}'`), { code: 'ENAMETOOLONG' });
}

/** The path of an open folder, wherever it is. */
export function descriptorPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/**
 * As the system spells it. Synchronously, because that needs no disk, and takes a sixth of the time.
 * @returns undefined without /proc, as in some sandboxes
 */
function openedPath(handle: FileHandle): string | undefined {
  try {
    return readlinkSync(descriptorPath(handle));
  } catch {
    return undefined;
  }
}

async function checkPath(folder: string): Promise<void> {
  let path = parse(folder).root;
  for (const name of namesIn(folder)) {
    path = join(path, name);
    if (!(await lstat(path)).isDirectory()) throw replacedFolder(folder);
  }
}

/** @returns the names on a path, without its root */
export function namesIn(path: string): string[] {
  const names = path.slice(parse(path).root.length).split(sep);
  return names.filter((name) => name !== '' && name !== '.');
}

/** @param path of a folder, or of a file or folder below it */
export function replacedFolder(path: string): DriveError {
  const params = { path, reason: 'ELOOP' };
  return new DriveError('local_file', { text: 'local_file_folder_replaced', params, reason: 'ELOOP' });
}

/** ext2 to ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, overlayfs: local, and a name can contain everything but `/`. */
const LINUX_FILE_SYSTEMS: ReadonlySet<number | undefined> = new Set([
  ...[0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x2fc12fc1, 0x794c7630],
]);

/** @returns its magic number, if known */
export async function fileSystemType(folder: string): Promise<number | undefined> {
  // Node.js has it since 18.15.
  const find = statfs as typeof statfs | undefined;
  const stats = await find?.(folder).catch(() => undefined);
  return stats && Number(stats.type);
}

export function isLinuxFileSystem(type: number | undefined): boolean {
  return LINUX_FILE_SYSTEMS.has(type);
}

/** @param folder, target absolute, without symbolic links. @returns also true for the folder itself */
export function isInside(folder: string, target: string): boolean {
  const way = relative(folder, target);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** A FIFO that has taken the file's place since it was listed must not block. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
/** Nor may a link that has taken its place be followed. */
export const READ_UNLINKED_FLAGS = READ_FLAGS | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens a file for reading. A path leads elsewhere once someone replaces a folder on it by a link.
 * @param folder that has to contain the file, absolute, without symbolic links; undefined if it may be anywhere
 * @param hasProc whether the system is Linux
 * @throws `local_file` if the path leads out of the folder, and errors of the file system
 */
export async function openInside(
  file: string,
  folder: string | undefined,
  hasProc = process.platform === 'linux',
): Promise<FileHandle> {
  const handle = await open(file, READ_FLAGS).catch((error: unknown) => {
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
