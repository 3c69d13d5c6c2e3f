/** Lists a folder on disk. */
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../errors';
import { parsePartName } from '../download/part-name';
import { isWorkFolderName } from '../download/work-folder-name';
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
  /** Of a blocked entry. `loop`: a link to a folder that contains it. */
  reason?: SyncReason | 'loop';
}

export interface LocalListing {
  entries: LocalEntry[];
  /** Names of part files, which belong to no side. */
  parts: string[];
  /** Names of work folders of restores, which belong to no side either. */
  workFolders: string[];
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
  const dirents = await readdir(folder, { withFileTypes: true });
  const parts = dirents.filter((each) => each.isFile() && parsePartName(each.name)).map(({ name }) => name);
  const workFolders = dirents
    .filter((each) => each.isDirectory() && isWorkFolderName(each.name))
    .map(({ name }) => name);
  const omitted = new Set([...parts, ...workFolders]);
  const others = dirents.filter(({ name }) => !omitted.has(name));
  const entries: LocalEntry[] = [];
  for (let start = 0; start < others.length; start += BATCH_SIZE) {
    const batch = others.slice(start, start + BATCH_SIZE);
    const read = await Promise.all(batch.map((dirent) => readEntry(folder, dirent, links)));
    for (const entry of read) if (entry) entries.push(entry);
  }
  return { entries, parts, workFolders };
}

/** @returns undefined for a file that has vanished */
async function readEntry(folder: string, dirent: Dirent, links: LinkRules): Promise<LocalEntry | undefined> {
  const { name } = dirent;
  const entryPath = path.join(folder, name);
  try {
    if (dirent.isDirectory()) return toFolder(name, links, path.join(links.parents[0] ?? '', name));
    if (dirent.isSymbolicLink()) return await readLink(name, entryPath, links);
    if (!dirent.isFile()) return { name, kind: 'blocked', reason: 'special_file' };
    return { name, kind: 'file', file: toLocalFile(await lstat(entryPath)) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // Node.js replaces what isn't valid UTF-8 with U+FFFD, so such a file can't be found under its name.
    return name.includes('\ufffd') ? { name, kind: 'blocked', reason: 'invalid_name' } : undefined;
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
  if (target !== links.top && !target.startsWith(withSeparator(links.top))) return blocked('symlink_outside');
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

function withSeparator(folder: string): string {
  return folder.endsWith(path.sep) ? folder : folder + path.sep;
}
