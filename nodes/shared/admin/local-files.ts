/**
 * Lists folders and files on this machine for the editor, only below the folders that `cloudDriveLocalFolders` in
 * settings.js allows. Without that setting nothing is listed.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import { DriveError, isInside, isOneOf, isString, localFileError } from '../../../src/index';
import type { FilePage, ListedFile } from '../contract/dialog-api';
import { REQUEST, invalidRequest, requestText } from './admin-guard';
import type { Route } from './routes';

/** Entries per page. */
const PAGE_SIZE = 200;

interface LocalListRequest {
  /** Absolute path; `''` lists the allowed folders. */
  folder: string;
  kind: 'folders' | 'any';
  /** Number of entries on earlier pages. */
  offset: number;
}

/** With the permission to change flows, because it can read the disk anyway. */
export function localFilesRoute(RED: NodeAPI): Route {
  return {
    method: 'get',
    path: '/local-files',
    permission: 'flows.write',
    endpoint: ({ query }) => listLocalFiles(allowedFolders(RED), parseRequest(query)),
  };
}

function allowedFolders({ settings }: NodeAPI): string[] {
  const { cloudDriveLocalFolders: folders } = settings as { cloudDriveLocalFolders?: unknown };
  return Array.isArray(folders) ? folders.filter(isString).filter((folder) => path.isAbsolute(folder)) : [];
}

function parseRequest(query: object): LocalListRequest {
  const given = REQUEST.object(query);
  const [folder, page] = [requestText(given, 'folder'), requestText(given, 'page')];
  if (folder.includes('\0')) throw invalidRequest('folder');
  if (!/^\d{0,9}$/.test(page)) throw invalidRequest('page');
  const kind = REQUEST.optional(given, 'kind', isOneOf('any', 'folders')) ?? 'any';
  return { folder, kind, offset: Number(page) };
}

async function listLocalFiles(
  allowed: readonly string[],
  { folder, kind, offset }: LocalListRequest,
): Promise<FilePage> {
  if (folder === '') return { files: allowed.map((root) => listedFolder(root, root)), rootId: 'root' };
  const realFolder = await checkAllowed(folder, allowed);
  const entries = await readEntries(folder, realFolder, kind);
  const page = entries.slice(offset, offset + PAGE_SIZE);
  const files = await Promise.all(page.map((entry) => listedEntry(path.join(folder, entry.name), entry)));
  const next = offset + PAGE_SIZE;
  return { files, rootId: 'root', ...(next < entries.length ? { nextPage: String(next) } : {}) };
}

/**
 * The path as it is written is checked first, so that nothing can be learned of what exists elsewhere, then the path
 * without symbolic links, which could lead elsewhere.
 * @returns the path without symbolic links
 * @throws `permission_denied`
 */
async function checkAllowed(folder: string, allowed: readonly string[]): Promise<string> {
  const denied = new DriveError('permission_denied', {
    text: 'permission_denied_local_folder',
    params: { path: folder },
  });
  const roots = allowed.filter((root) => isInside(path.resolve(root), path.resolve(folder)));
  if (!path.isAbsolute(folder) || roots.length === 0) throw denied;
  try {
    const realFolder = await realpath(folder);
    for (const root of roots) if (isInside(await realpath(root), realFolder)) return realFolder;
  } catch (error) {
    throw localFileError(error, folder);
  }
  throw denied;
}

/** Folders first, each by name. Links aren't listed, because they may lead elsewhere. */
async function readEntries(folder: string, realFolder: string, kind: 'folders' | 'any'): Promise<Dirent[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(realFolder, { withFileTypes: true });
  } catch (error) {
    throw localFileError(error, folder);
  }
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return entries
    .filter((entry) => entry.isDirectory() || (kind === 'any' && entry.isFile()))
    .sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || compare(a.name, b.name));
}

async function listedEntry(filePath: string, entry: Dirent): Promise<ListedFile> {
  if (entry.isDirectory()) return listedFolder(filePath, entry.name);
  const file = { id: filePath, name: entry.name, mimeType: '', isFolder: false };
  try {
    const { size, mtime } = await lstat(filePath);
    return { ...file, size, modifiedTime: mtime.toISOString() };
  } catch {
    // Removed meanwhile, or unreadable: the name is enough.
    return file;
  }
}

function listedFolder(id: string, name: string): ListedFile {
  return { id, name, mimeType: '', isFolder: true };
}
