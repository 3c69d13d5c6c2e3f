/**
 * Compares the entries of an archive or snapshot with a folder on disk, while it is read. Synchronously, in a worker
 * thread, as source-entry.ts. No path leads through a symbolic link.
 */
import {
  type Dirent,
  type Stats,
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../errors';
import { localFileError } from '../../fs/local-file-error';
import { decodePath, diskPath, openFolder, readablePath, withName } from '../../fs/path-bytes';
import { READ_UNLINKED_FLAGS } from '../../fs/pinned-folder';
import { relativePath } from '../../fs/safe-name';
import type { PathMatcher } from '../../core/globs/path-globs';
import { hashPath } from './entry-problems';
import type { ContentPart, StoredEntry } from './entry';

/** Paths as in the archive. */
export interface Differences {
  /** Only in the archive. */
  missing: string[];
  /** Only on disk: of a folder, not what is in it. */
  extra: string[];
  /** Another type, size, mode, link target or content. */
  different: string[];
  /** If there are more than {@link MAX_PATHS} of a kind, or than {@link MAX_LENGTH} characters. */
  truncated?: true;
}

/** Of each kind. */
const MAX_PATHS = 50_000;
/** Characters of all of them. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Errors of a path that doesn't exist, or leads through something other than a folder. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'];
const HAS_MODES = process.platform !== 'win32';

/** A path of the archive, and what of it is on disk. */
interface Place {
  path: string;
  /** The part that exists, `''` for none. */
  found: string;
  /** Whether all of it is a folder, and none on it a link. */
  isFolder: boolean;
}

export class FolderComparison {
  private readonly missing = new Set<string>();
  private readonly different = new Set<string>();
  private readonly extra: string[] = [];
  private isTruncated = false;
  /** Characters of the reported paths. */
  private length = 0;
  /** Hashes of the paths in the archive that exist on disk. It may have any number of others. */
  private readonly known = new Set<number>();
  private readonly buffers = [Buffer.allocUnsafe(64 * 1024), Buffer.allocUnsafe(64 * 1024)] as const;
  /** The last folder on disk that was looked for. */
  private folder: Place = { path: '', found: '', isFolder: true };
  /** The first name of all paths, if it stands for the folder itself. */
  private top: string | undefined;
  private isFirst = true;

  constructor(
    private readonly root: string,
    private readonly isIncluded: PathMatcher,
  ) {}

  /** @param path of the entry. @param content is read as far as needed */
  async add(path: string, entry: StoredEntry, content: AsyncIterable<Buffer>): Promise<void> {
    if (this.isFirst) this.chooseTop(path, entry);
    this.isFirst = false;
    // As for GNU tar, the last entry with a path counts.
    for (const set of [this.missing, this.different]) set.delete(path);
    try {
      const stats = this.statsOf(path);
      this.remember(stats ? path : this.placeOf(dirname(path)).found);
      if (!stats) this.report(this.missing, path);
      else if (!(await this.isSame(path, entry, { stats, content }))) this.report(this.different, path);
    } catch (error) {
      throw localFileError(error, readablePath(this.onDisk(path)));
    }
  }

  /** Looks for what is only on disk. */
  async finish(): Promise<Differences> {
    await this.findExtra(this.top ?? '');
    const { missing, different, extra, isTruncated } = this;
    const lists = { missing: [...missing], extra, different: [...different] };
    return {
      missing: lists.missing.map(readablePath),
      extra: lists.extra.map(readablePath),
      different: lists.different.map(readablePath),
      ...(isTruncated && { truncated: true }),
    };
  }

  /**
   * The archive of a backup has one folder, named like the source. A folder of another name may be a copy of it, or
   * contain one.
   */
  private chooseTop(path: string, { type }: StoredEntry): void {
    const [name = ''] = path.split('/');
    if (name === '' || (type !== 'folder' && name === path)) return;
    if (name === basename(this.root) || !existsSync(diskPath(join(this.root, name)))) this.top = name;
  }

  private remember(path: string): void {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const hash = hashPath(path.slice(0, end));
      if (this.known.has(hash)) return;
      this.known.add(hash);
    }
  }

  private onDisk(path: string): string {
    const { top } = this;
    if (top === undefined || !(path === top || path.startsWith(`${top}/`))) return join(this.root, path);
    return join(this.root, path.slice(top.length));
  }

  /** @returns undefined if there is nothing */
  private statsOf(path: string): Stats | undefined {
    return this.placeOf(dirname(path)).isFolder ? this.stats(path) : undefined;
  }

  private stats(path: string): Stats | undefined {
    return absentAsUndefined(() => lstatSync(diskPath(this.onDisk(path))));
  }

  private placeOf(path: string): Place {
    if (path === '.') return { path, found: '', isFolder: true };
    if (path !== this.folder.path) this.folder = this.findPlace(path);
    return this.folder;
  }

  /** From the top, so that a path of any depth ends where the disk does. */
  private findPlace(path: string): Place {
    let found = '';
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const prefix = end === -1 ? path : path.slice(0, end);
      // The folder that is compared may be a link itself.
      const stats = prefix === this.top ? undefined : this.stats(prefix);
      if (prefix === this.top || stats) found = prefix;
      if (prefix !== this.top && !stats?.isDirectory()) return { path, found, isFolder: false };
      if (end === -1) return { path, found, isFolder: true };
    }
  }

  private async isSame(
    path: string,
    entry: StoredEntry,
    { stats, content }: { stats: Stats; content: AsyncIterable<Buffer> },
  ): Promise<boolean> {
    const hasMode = !HAS_MODES || (stats.mode & 0o7777) === entry.mode;
    switch (entry.type) {
      case 'folder':
        return stats.isDirectory() && hasMode;
      case 'symlink':
        return stats.isSymbolicLink() && linkTarget(this.onDisk(path)) === entry.linkName;
      case 'link':
        return this.isSameAsTarget(path, entry, stats);
      case 'device':
        return !stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink() && hasMode;
      default:
        return (
          stats.isFile() &&
          stats.size === entry.size &&
          hasMode &&
          (await this.hasContent(path, entry, content))
        );
    }
  }

  /** A hard link has the content of its target, which was compared. Some disks have copies instead. */
  private isSameAsTarget(path: string, { linkName }: StoredEntry, stats: Stats): boolean {
    const target = relativePath(linkName);
    const other = target === undefined ? undefined : this.statsOf(target);
    if (target === undefined || !other || this.different.has(target)) return false;
    // Larger inodes are rounded, so those of several files may be the same number.
    if (other.dev === stats.dev && other.ino === stats.ino && Number.isSafeInteger(stats.ino)) return true;
    if (stats.isSymbolicLink() && other.isSymbolicLink())
      return linkTarget(this.onDisk(path)) === linkTarget(this.onDisk(target));
    return (
      stats.isFile() && other.isFile() && stats.size === other.size && this.haveSameContent(path, target)
    );
  }

  private async hasContent(
    path: string,
    entry: StoredEntry,
    content: AsyncIterable<Buffer>,
  ): Promise<boolean> {
    if (entry.size === 0) return true;
    const fd = openFile(this.onDisk(path));
    if (fd === undefined) return false;
    try {
      if (entry.parts && !hasParts(fd, entry.parts, this.buffers[0])) return false;
      let position = 0;
      for await (const chunk of entry.parts ? [] : content) {
        if (!hasBytes(fd, chunk, position, this.buffers[0])) return false;
        position += chunk.length;
      }
      // It may have grown meanwhile.
      return fstatSync(fd).size === entry.size;
    } finally {
      closeSync(fd);
    }
  }

  private haveSameContent(path: string, target: string): boolean {
    const [fd, other] = [openFile(this.onDisk(path)), openFile(this.onDisk(target))];
    try {
      if (fd === undefined || other === undefined) return false;
      const [buffer, compared] = this.buffers;
      for (let position = 0; ;) {
        const length = readSync(other, compared, 0, compared.length, position);
        if (length === 0) return true;
        if (!hasBytes(fd, compared.subarray(0, length), position, buffer)) return false;
        position += length;
      }
    } finally {
      for (const each of [fd, other]) if (each !== undefined) closeSync(each);
    }
  }

  /** Depth first, so that only the folders still to be read are in memory. */
  private async findExtra(top: string): Promise<void> {
    const folders = [top];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      try {
        for await (const dirent of await openFolder(this.onDisk(folder)))
          this.addDirent(folder, withName(dirent), folders);
      } catch (error) {
        // Removed since it was listed.
        if (folder === top || !ABSENT.includes(errorCode(error) ?? ''))
          throw localFileError(error, readablePath(this.onDisk(folder)));
      }
    }
  }

  private addDirent(folder: string, dirent: Dirent, folders: string[]): void {
    const isFolder = dirent.isDirectory();
    // An archive contains no others.
    if (!isFolder && !dirent.isFile() && !dirent.isSymbolicLink()) return;
    const path = folder === '' ? dirent.name : `${folder}/${dirent.name}`;
    const isKnown = this.known.has(hashPath(path));
    if (!isKnown && this.isIncluded(path, isFolder)) this.report(this.extra, path);
    else if (isFolder) folders.push(path);
  }

  private report(list: Set<string> | string[], path: string): void {
    const count = Array.isArray(list) ? list.length : list.size;
    this.length += path.length;
    if (count >= MAX_PATHS || this.length > MAX_LENGTH) this.isTruncated = true;
    else if (Array.isArray(list)) list.push(path);
    else list.add(path);
  }
}

function linkTarget(path: string): string | undefined {
  return absentAsUndefined(() => decodePath(readlinkSync(diskPath(path), { encoding: 'buffer' })));
}

function openFile(path: string): number | undefined {
  return absentAsUndefined(() => openSync(diskPath(path), READ_UNLINKED_FLAGS));
}

/** @throws other errors of the system than those of a path that doesn't exist */
function absentAsUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (ABSENT.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Whether the file has the same content, by hashes: that of a snapshot needn't be downloaded. */
function hasParts(fd: number, parts: readonly ContentPart[], buffer: Buffer): boolean {
  let position = 0;
  for (const { id, length } of parts) {
    const hash = createHash('sha256');
    for (const end = position + length; position < end;) {
      const read = readSync(fd, buffer, 0, Math.min(buffer.length, end - position), position);
      if (read === 0) return false;
      hash.update(buffer.subarray(0, read));
      position += read;
    }
    if (hash.digest('hex') !== id) return false;
  }
  return true;
}

function hasBytes(fd: number, expected: Buffer, start: number, buffer: Buffer): boolean {
  for (let compared = 0; compared < expected.length;) {
    const part = expected.subarray(compared, compared + buffer.length);
    const length = readSync(fd, buffer, 0, part.length, start + compared);
    if (length === 0 || !part.subarray(0, length).equals(buffer.subarray(0, length))) return false;
    compared += length;
  }
  return true;
}
