/** Lists a folder on disk. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors';
import { isInside } from '../fs/pinned-folder';
import { isEmptyProbe } from '../fs/name-rules';
import { parsePartName, isSyncProbeName, isWorkFolderName } from '../fs/reserved-names';
import { isUtf8, readablePath, withName } from '../fs/path-bytes';
import type { LocalFile } from './sync-folder';
import type { SyncReason, SyncRequest } from './sync-request';

export interface LocalEntry {
  name: string;
  kind: 'file' | 'folder' | 'blocked';
  file?: LocalFile;
  /** Of a folder or link, without symbolic links, if they are followed. */
  realPath?: string;
  /** A symbolic link that is followed. */
  isLink?: boolean;
  /** A folder that belongs to another disk or to the system. Only found out if extra files on disk are removed. */
  isForeign?: boolean;
  /** Of a blocked entry. `loop`: a link to a folder that contains it. */
  reason?: SyncReason | 'loop';
}

export interface LocalListing {
  entries: LocalEntry[];
  /** Names of part files and of folders that show what a disk does with names. A download removes old ones. */
  parts: string[];
}

/** How links are treated. */
export interface LinkRules {
  symlinks: SyncRequest['symlinks'];
  /** The top folder, without symbolic links. */
  top: string;
  /** The folder and those that contain it, without symbolic links. */
  parents: readonly string[];
}

/** Number of files whose attributes are read at once. */
const BATCH_SIZE = 64;

/** @throws errors of the file system */
export async function listLocal(folder: string, links: LinkRules): Promise<LocalListing> {
  const { dirents, invalid } = await readLocalFolder(folder);
  const parts = dirents.filter(isPart).map(({ name }) => name);
  const entries: LocalEntry[] = invalid.map((name) => ({ name, kind: 'blocked', reason: 'invalid_name' }));
  for (let start = 0; start < dirents.length; start += BATCH_SIZE) {
    const batch = dirents.slice(start, start + BATCH_SIZE);
    const read = await Promise.all(batch.map((dirent) => readEntry(folder, dirent, links)));
    for (const entry of read) if (entry) entries.push(entry);
  }
  return { entries, parts };
}

function isPart(dirent: Dirent): boolean {
  if (dirent.isDirectory()) return isSyncProbeName(dirent.name);
  return dirent.isFile() && parsePartName(dirent.name) !== undefined;
}

/** @returns the entries with names in UTF-8, and the other names for users: see path-bytes.ts */
async function readLocalFolder(folder: string): Promise<{ dirents: Dirent[]; invalid: string[] }> {
  const dirents = await readdir(folder, { withFileTypes: true });
  if (!dirents.some(({ name }) => name.includes('\ufffd'))) return { dirents, invalid: [] };
  // The types know no other encoding of names.
  const options = { withFileTypes: true, encoding: 'buffer' as BufferEncoding } as const;
  const all = (await readdir(folder, options)).map(withName);
  const invalid = all.filter(({ name }) => !isUtf8(name)).map(({ name }) => readablePath(name));
  return { dirents: all.filter(({ name }) => isUtf8(name)), invalid };
}

/** @returns undefined for a file that has vanished, and for a probe without content */
async function readEntry(folder: string, dirent: Dirent, links: LinkRules): Promise<LocalEntry | undefined> {
  const { name } = dirent;
  const entryPath = path.join(folder, name);
  try {
    if (dirent.isDirectory() && isSyncProbeName(name) && (await isEmptyProbe(entryPath))) return undefined;
    if (isPart(dirent) || (dirent.isDirectory() && isWorkFolderName(name)))
      return { name, kind: 'blocked', reason: 'reserved_name' };
    if (dirent.isDirectory()) return toFolder(name, links, path.join(links.parents[0] ?? '', name));
    if (dirent.isSymbolicLink()) return await readLink(name, entryPath, links);
    if (!dirent.isFile()) return { name, kind: 'blocked', reason: 'special_file' };
    return { name, kind: 'file', file: toLocalFile(await lstat(entryPath)) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function readLink(name: string, link: string, links: LinkRules): Promise<LocalEntry> {
  const blocked = (reason: LocalEntry['reason']): LocalEntry => ({ name, kind: 'blocked', reason });
  if (links.symlinks !== 'follow') return blocked('symlink');
  let target: string;
  try {
    target = await realpath(link);
  } catch (error) {
    if (errorCode(error) === 'ELOOP' || errorCode(error) === 'ENOENT') return blocked('symlink');
    throw error;
  }
  if (!isInside(links.top, target)) return blocked('symlink_outside');
  const stats = await stat(target);
  if (stats.isFile()) return { name, kind: 'file', file: toLocalFile(stats), realPath: target, isLink: true };
  if (!stats.isDirectory()) return blocked('special_file');
  return links.parents.includes(target)
    ? blocked('loop')
    : { ...toFolder(name, links, target), isLink: true };
}

function toFolder(name: string, { symlinks }: LinkRules, realPath: string): LocalEntry {
  return symlinks === 'follow' ? { name, kind: 'folder', realPath } : { name, kind: 'folder' };
}

export function toLocalFile({ size, mtimeMs }: LocalFile): LocalFile {
  return { size, mtimeMs };
}

/** Whether a folder lists a name as it is spelled. A disk that ignores case finds a file under other names too. */
export async function isListedIn(folder: string, name: string): Promise<boolean> {
  return (await spellingsIn(folder)).has(name.normalize('NFC'));
}

/** The names in a folder, in one form of Unicode. */
export async function spellingsIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set((await readdir(folder)).map((each) => each.normalize('NFC')));
}
