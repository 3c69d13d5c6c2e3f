/** Lists what a backup of local folders and files contains. */
import type { Dirent } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { DriveError } from '../errors';
import { foldName } from '../core/names';
import { isSyncProbeName } from './reserved-names';
import { localFileError } from './local-file-error';
import { isEmptyProbe } from './name-rules';
import { checkLength } from './pinned-folder';
import { decodePath, diskPath, openFolder, withName } from './path-bytes';
import { Tree } from './tree';

export interface SourceSelection {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Whether a path, relative to its source and with `/`, is left out with everything in it. */
  isExcluded: (path: string, isFolder: boolean) => boolean;
}

export type EntryType = 'file' | 'directory' | 'symlink';

/**
 * `path` is the name in the archive: it starts with the base name of its source, and its separator is `/`. `localPath`
 * is valid until the next entry is read: see tree.ts. Both paths are as in path-bytes.ts.
 */
export type WalkedEntry =
  | { path: string; type: EntryType; localPath: string }
  /**
   * `skipped`: `socket`, `fifo`, `device`, `vanished` or the code of a system error. With `localPath` if it is there.
   */
  | { path: string; skipped: string; localPath?: string };

/**
 * Checks the sources before anything is created on the drive.
 * @throws `local_file` for one that is missing, special or can't be read; `invalid_input` if there is none, if two have
 *   the same base name, and for an empty one, which may be a disk that isn't mounted
 */
export async function checkSources({ sources, isExcluded }: SourceSelection): Promise<void> {
  if (sources.length === 0) {
    const params = { property: 'sources', source: 'request', came: 'array[0]' };
    throw new DriveError('invalid_input', { text: 'invalid_input_no_source', params });
  }
  const names = new Set<string>();
  for (const source of sources) {
    const name = sourceName(source);
    // On disks that ignore case, the names would collide when the archive is unpacked.
    const key = foldName(name);
    if (names.has(key)) {
      throw new DriveError('invalid_input', { text: 'invalid_input_source_duplicate', params: { name } });
    }
    names.add(key);
    const walk = walkSource(source, isExcluded);
    await walk.next();
    await walk.return(undefined);
  }
}

/** The number of the file system that each source is on. */
export async function sourceDevices(sources: readonly string[]): Promise<(number | undefined)[]> {
  const all = await Promise.all(sources.map((source) => stat(source).catch(() => undefined)));
  return all.map((stats) => stats?.dev);
}

/**
 * @returns a source that is missing, empty or on another file system now, as a disk that was unmounted in the meantime
 */
export async function findLostSource(
  { sources, isExcluded }: SourceSelection,
  devices: readonly (number | undefined)[],
): Promise<string | undefined> {
  const now = await sourceDevices(sources);
  for (const [index, source] of sources.entries()) {
    try {
      await checkSources({ sources: [source], isExcluded });
    } catch {
      return source;
    }
    if (now[index] !== devices[index]) return source;
  }
  return undefined;
}

/** Reasons of skipped entries that the archive can do without, or that have vanished. */
const NO_FAILURES = ['socket', 'fifo', 'device', 'vanished'];

/** @param reason of a skipped entry. @returns whether the archive lacks an entry that is there */
export function isFailure(reason: string): boolean {
  return !NO_FAILURES.includes(reason);
}

/** The base name of a source. @throws `invalid_input` for the root of a file system, which has none */
export function sourceName(source: string): string {
  const name = path.basename(path.resolve(source));
  if (name !== '') return name;
  throw new DriveError('invalid_input', { text: 'invalid_input_source_root', params: { path: source } });
}

/**
 * Walks the sources depth first, each folder before its content, and folders by their names: what is near each other in
 * a tree of a snapshot is then near in its packs. The paths of the folders still to be read are all that it keeps in
 * memory. @throws as {@link checkSources}
 */
export async function* walkSources({ sources, isExcluded }: SourceSelection): AsyncGenerator<WalkedEntry> {
  for (const source of sources) yield* walkSource(source, isExcluded);
}

async function* walkSource(
  source: string,
  isExcluded: SourceSelection['isExcluded'],
): AsyncGenerator<WalkedEntry> {
  const root = await openRoot(source);
  const { type, localPath } = root;
  if (type !== 'directory') {
    yield root;
    return;
  }
  const tree = new Tree(path.dirname(localPath), path.basename(localPath));
  const content = walkFolder({ root, tree, isExcluded });
  try {
    const first = await content.next();
    if (first.done) {
      throw new DriveError('invalid_input', { text: 'invalid_input_source_empty', params: { path: source } });
    }
    yield root;
    yield first.value;
    yield* content;
  } finally {
    // Closes the folder that is being read.
    await content.return(undefined);
    await tree.close();
  }
}

/** A source that is a link stands for its target. */
async function openRoot(source: string): Promise<Root> {
  const name = sourceName(source);
  try {
    const localPath = decodePath(await realpath(source, { encoding: 'buffer' }));
    const stats = await stat(diskPath(localPath));
    if (stats.isDirectory()) return { path: name, type: 'directory', localPath };
    if (stats.isFile()) {
      await readByte(localPath);
      return { path: name, type: 'file', localPath };
    }
  } catch (error) {
    throw localFileError(error, source, { ENOENT: 'local_file_no_backup_source' });
  }
  const params = { path: source, reason: 'not a regular file' };
  throw new DriveError('local_file', { text: 'local_file_not_regular', params });
}

/** Some files can be opened but not read, such as those of a damaged disk. */
async function readByte(localPath: string): Promise<void> {
  const file = await open(diskPath(localPath));
  try {
    await file.read(Buffer.alloc(1), 0, 1, 0);
  } finally {
    await file.close();
  }
}

interface Root {
  path: string;
  localPath: string;
  type: EntryType;
}

interface Walk {
  root: Root;
  /** Of the root: a folder in it may be replaced by a link meanwhile. */
  tree: Tree;
  isExcluded: SourceSelection['isExcluded'];
}

/** Without the root itself. GNU tar restores the times of a folder only if its content follows it at once. */
async function* walkFolder({ root, tree, isExcluded }: Walk): AsyncGenerator<WalkedEntry> {
  const folders = [root.path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const inside: string[] = [];
    try {
      const inRoot = folder.slice(root.path.length);
      checkLength(root.localPath + inRoot);
      // A link that leads to the open folder, but not with the slash at its end.
      const localPath = `${await tree.folder(inRoot)}/`;
      if (folder !== root.path) yield { path: folder, localPath, type: 'directory' };
      for await (const dirent of await openFolder(localPath)) {
        const entry = toWalked(folder, localPath, withName(dirent));
        const isFolder = 'type' in entry && entry.type === 'directory';
        if (isExcluded(entry.path.slice(root.path.length + 1), isFolder)) continue;
        if (isFolder && isSyncProbeName(dirent.name) && (await isEmptyProbe(entry.localPath))) continue;
        if (isFolder) inside.push(entry.path);
        else yield entry;
      }
      // A folder that was removed while it was open has no entries, and no error says so.
      const isRemoved = folder !== root.path && (await stat(diskPath(localPath))).nlink === 0;
      if (isRemoved) yield { path: folder, skipped: 'vanished' };
    } catch (error) {
      if (folder === root.path) throw localFileError(error, root.localPath);
      const isThere = await tree.isFolder(folder.slice(root.path.length)).catch(() => false);
      yield { path: folder, skipped: skipReason(error, folder, isThere) };
    }
    for (const each of inside.sort().reverse()) folders.push(each);
  }
}

function toWalked(folder: string, folderPath: string, dirent: Dirent): WalkedEntry {
  const entryPath = `${folder}/${dirent.name}`;
  const localPath = path.join(folderPath, dirent.name);
  if (dirent.isFile()) return { path: entryPath, type: 'file', localPath };
  if (dirent.isDirectory()) return { path: entryPath, type: 'directory', localPath };
  if (dirent.isSymbolicLink()) return { path: entryPath, type: 'symlink', localPath };
  const skipped = dirent.isSocket() ? 'socket' : dirent.isFIFO() ? 'fifo' : 'device';
  return { path: entryPath, skipped, localPath };
}

/**
 * Errors of a path that was listed but leads elsewhere now: it, or a folder on it, was removed or has become a file or
 * a link.
 */
const VANISHED = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/**
 * Why an entry can't be read.
 * @param isThere whether it is found now. Some disks, such as those of FUSE, have an error of a missing file for
 *   others, too
 * @throws an error that is not one of the file system
 */
export function skipReason(error: unknown, entryPath: string, isThere = false): string {
  if (error instanceof DriveError) throw error;
  const { reason = 'unknown' } = localFileError(error, entryPath);
  return VANISHED.includes(reason) && !isThere ? 'vanished' : reason;
}
