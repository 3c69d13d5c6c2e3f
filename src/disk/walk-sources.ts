/** Lists what an archive of local folders and files contains. */
import type { Dirent } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { DriveError } from '../errors';
import { foldName } from '../fold-name';
import { isSyncProbeName } from './reserved-names';
import { localFileError } from './local-file-error';
import { isEmptyProbe } from './name-rules';
import { decodePath, diskPath, openFolder, withName } from './path-bytes';

export interface SourceSelection {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Whether a path, relative to its source and with `/`, is left out with everything in it. */
  isExcluded: (path: string, isFolder: boolean) => boolean;
}

export type EntryType = 'file' | 'directory' | 'symlink';

/**
 * `path` is the name in the archive: it starts with the base name of its source, and its separator is `/`. Both paths are
 * as in path-bytes.ts.
 */
export type WalkedEntry =
  | { path: string; type: EntryType; localPath: string }
  /** `skipped`: `socket`, `fifo`, `device`, `vanished` or the code of a system error. */
  | { path: string; skipped: string };

/**
 * Checks the sources before anything is created on the drive.
 * @throws `local_file` for one that is missing, special or can't be read; `invalid_input` if there is none, if two have the same base name, and
 * for an empty one, which may be a disk that isn't mounted
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

/** @returns a source that is missing, empty or on another file system now, as a disk that was unmounted in the meantime */
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
 * Walks the sources depth first, each folder before its content. The paths of the folders still to be read are all that it
 * keeps in memory. @throws as {@link checkSources}
 */
export async function* walkSources({ sources, isExcluded }: SourceSelection): AsyncGenerator<WalkedEntry> {
  for (const source of sources) yield* walkSource(source, isExcluded);
}

async function* walkSource(
  source: string,
  isExcluded: SourceSelection['isExcluded'],
): AsyncGenerator<WalkedEntry> {
  const { type, ...root } = await openSource(source);
  if (type !== 'directory') {
    yield { ...root, type };
    return;
  }
  const content = walkFolder(root, isExcluded);
  try {
    const first = await content.next();
    if (first.done) {
      throw new DriveError('invalid_input', { text: 'invalid_input_source_empty', params: { path: source } });
    }
    yield { ...root, type };
    yield first.value;
    yield* content;
  } finally {
    // Closes the folder that is being read.
    await content.return(undefined);
  }
}

/** A source that is a link stands for its target. */
async function openSource(source: string): Promise<Folder & { type: EntryType }> {
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
    throw localFileError(error, source, { ENOENT: 'local_file_no_source' });
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

interface Folder {
  path: string;
  localPath: string;
}

/** Without the root itself. GNU tar restores the times of a folder only if its content follows it at once. */
async function* walkFolder(
  root: Folder,
  isExcluded: SourceSelection['isExcluded'],
): AsyncGenerator<WalkedEntry> {
  const folders: Folder[] = [root];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    if (folder !== root) yield { ...folder, type: 'directory' };
    const inside: Folder[] = [];
    try {
      const entries = await openFolder(folder.localPath);
      // The folder may have become a link since it was listed. The first entry is only read below.
      if (await isLink(folder.localPath)) {
        await entries.close();
        yield { path: folder.path, skipped: 'vanished' };
        continue;
      }
      for await (const dirent of entries) {
        const entry = toEntry(folder, withName(dirent));
        const isFolder = 'type' in entry && entry.type === 'directory';
        if (isExcluded(entry.path.slice(root.path.length + 1), isFolder)) continue;
        if (isFolder && isSyncProbeName(dirent.name) && (await isEmptyProbe(entry.localPath))) continue;
        if (isFolder) {
          inside.push({ path: entry.path, localPath: entry.localPath });
        } else {
          yield entry;
        }
      }
    } catch (error) {
      if (folder === root) throw localFileError(error, root.localPath);
      yield { path: folder.path, skipped: skipReason(error, folder.path) };
    }
    for (const each of inside.reverse()) folders.push(each);
  }
}

async function isLink(localPath: string): Promise<boolean> {
  return (await lstat(diskPath(localPath))).isSymbolicLink();
}

function toEntry(folder: Folder, dirent: Dirent): WalkedEntry {
  const entryPath = `${folder.path}/${dirent.name}`;
  const localPath = path.join(folder.localPath, dirent.name);
  if (dirent.isFile()) return { path: entryPath, type: 'file', localPath };
  if (dirent.isDirectory()) return { path: entryPath, type: 'directory', localPath };
  if (dirent.isSymbolicLink()) return { path: entryPath, type: 'symlink', localPath };
  const skipped = dirent.isSocket() ? 'socket' : dirent.isFIFO() ? 'fifo' : 'device';
  return { path: entryPath, skipped };
}

/**
 * Errors of a path that was listed but leads elsewhere now: it, or a folder on it, was removed or has become a file or a link.
 */
const VANISHED = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Why an entry can't be read. @throws an error that is not one of the file system */
export function skipReason(error: unknown, entryPath: string): string {
  if (error instanceof DriveError) throw error;
  const { reason } = localFileError(error, entryPath);
  return reason !== undefined && VANISHED.includes(reason) ? 'vanished' : (reason ?? 'unknown');
}
