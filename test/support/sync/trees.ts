/** Folders on both sides as plain values: path to `<content> @<seconds>`. Paths of folders end with `/`. */
import { mkdir, readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type SyncResult, isDriveError } from '../../../src/index';
import type { LocalDrive } from '../../local-drive';

export type Tree = Readonly<Record<string, string>>;

const FOLDER = 'application/vnd.google-apps.folder';
/** Seconds since 1970; used for files without a time. */
export const TIME = 1_700_000_000;

interface Content {
  content: string;
  /** ms since 1970 */
  time: number;
}

function parse(text: string): Content {
  const [, content = text, seconds = TIME] = /^(.*) @(\d+)$/s.exec(text) ?? [];
  return { content, time: Number(seconds) * 1_000 };
}

/** Creates the tree in a folder on disk. */
export async function writeDisk(folder: string, tree: Tree): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(tree)) {
    const full = join(folder, path);
    await mkdir(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (path.endsWith('/')) continue;
    const { content, time } = parse(text);
    await writeFile(full, content);
    await utimes(full, time / 1_000, time / 1_000);
  }
}

/** @returns what a folder on disk contains; `{}` if it is missing */
export async function readDisk(folder: string, prefix = ''): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  const dirents = await readdir(join(folder, prefix), { withFileTypes: true }).catch(() => []);
  for (const dirent of dirents) {
    const path = prefix + dirent.name;
    if (dirent.isDirectory()) {
      Object.assign(tree, { [`${path}/`]: '' }, await readDisk(folder, `${path}/`));
    } else if (dirent.isFile()) {
      const { mtimeMs } = await stat(join(folder, path));
      tree[path] = describe(await readFile(join(folder, path), 'utf8'), mtimeMs);
    } else tree[path] = 'special';
  }
  return tree;
}

function describe(content: string, time: number): string {
  return `${content} @${Math.floor(time / 1_000)}`;
}

/** Adds the tree to a folder on the drive, without requests. @returns the ids by path */
export async function writeDrive(
  drive: LocalDrive,
  folderId: string,
  tree: Tree,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  const addFolder = async (path: string): Promise<string> => {
    if (path === '') return folderId;
    const parts = path.split('/');
    const parent = await addFolder(parts.slice(0, -1).join('/'));
    return (ids[`${path}/`] ??= await drive.files.addFolder(parts.at(-1) ?? '', parent));
  };
  for (const [path, text] of Object.entries(tree)) {
    const parts = path.split('/');
    const parent = await addFolder(parts.slice(0, -1).join('/'));
    if (path.endsWith('/')) continue;
    const { content, time } = parse(text);
    const modifiedTime = time;
    ids[path] = await drive.files.add({ name: parts.at(-1) ?? '', parent, content, modifiedTime });
  }
  return ids;
}

/** @returns what a folder on the drive contains; several items of the same name as `name (2)` … */
export async function readDrive(
  drive: LocalDrive,
  folderId: string,
  prefix = '',
): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const { id, name, mimeType, trashed, modifiedTime } of drive.files.in(folderId)) {
    if (trashed) continue;
    let path = prefix + name;
    for (let count = 2; path in tree || `${path}/` in tree; count++) path = `${prefix}${name} (${count})`;
    if (mimeType === FOLDER) {
      Object.assign(tree, { [`${path}/`]: '' }, await readDrive(drive, id, `${path}/`));
    } else tree[path] = describe((await drive.files.contentOf(id)).toString(), modifiedTime);
  }
  return tree;
}

/** @returns what a dry run and a run have in common: all but the order, ids of new files, sizes of exports, and errors */
export function planOf({ summary, changes }: SyncResult): object {
  const { dryRun: _dryRun, bytes: _bytes, ...counts } = summary;
  const planned = changes.map(({ path, action, reason, error }) =>
    JSON.stringify({ path, action, reason, error: isDriveError(error) ? error.text : undefined }),
  );
  return { counts, changes: planned.sort() };
}

/** @returns path and reason of each skipped file */
export function skippedIn(changes: SyncResult['changes']): (string | undefined)[][] {
  return changes.filter(({ action }) => action === 'skipped').map(({ path, reason }) => [path, reason]);
}
