/** Where a download writes a file: in a folder that no link can replace meanwhile. */
import path from 'node:path';
import { DriveError } from '../errors';
import { realpath } from 'node:fs/promises';
import { PinnedFolder, checkLength, isInside } from '../fs/pinned-folder';
import { localFileError } from '../fs/local-file-error';
import type { SyncFile } from './sync-folder';
import type { SyncRun } from './sync-run';

export interface DiskPlace {
  folder: PinnedFolder;
  name: string;
  /** For calls of the file system. */
  file: string;
  /** For errors. */
  path: string;
  /** False if a link leads to the folder, which isn't the file's then. */
  isInFolder: boolean;
}

/**
 * @param file or a folder in another one
 * @throws `local_file` also for errors of the file system in `work`, and if a link leads out of the top folder
 */
export async function atPlace<T>(
  run: SyncRun,
  file: Pick<SyncFile, 'folder' | 'name'>,
  work: (place: DiskPlace) => Promise<T>,
): Promise<T> {
  const shown = run.localPath(file);
  try {
    const { directory, name } = await placeOf(run, file);
    checkLength(path.join(directory, name));
    const isInFolder = directory === file.folder.diskPath();
    return await run.folders.use(directory, (folder) =>
      work({ folder, name, file: folder.pathOf(name), path: shown, isInFolder }),
    );
  } catch (error) {
    throw localFileError(error, shown);
  }
}

/** A file that someone changed between its listing and its replacement. */
export function changedOnDisk(path: string): DriveError {
  const params = { path, reason: 'changed' };
  return new DriveError('local_file', { text: 'local_file_sync_changed', params });
}

/** A followed link stays; the file that it points to is replaced. */
async function placeOf(
  run: SyncRun,
  { folder, name }: Pick<SyncFile, 'folder' | 'name'>,
): Promise<{ directory: string; name: string }> {
  const directory = folder.diskPath();
  if (run.request.symlinks !== 'follow') return { directory, name };
  const target = await realpath(path.join(directory, name)).catch(() => undefined);
  if (target === undefined) return { directory, name };
  if (!isInside(run.top.diskPath(), target)) throw changedOnDisk(run.localPath({ folder, name }));
  return { directory: path.dirname(target), name: path.basename(target) };
}

/** Folders that stay open without a user. */
const MAX_IDLE = 16;

interface SharedFolder {
  path: string;
  opened: Promise<PinnedFolder>;
  users: number;
}

export class PinnedFolders {
  private readonly folders = new Map<string, SharedFolder>();

  /** Runs `work` with an open folder that is at its path. @throws as {@link PinnedFolder.open} */
  async use<T>(path: string, work: (folder: PinnedFolder) => Promise<T>): Promise<T> {
    const existing = this.folders.get(path);
    const shared = existing ?? { path, opened: PinnedFolder.open(path), users: 0 };
    this.folders.set(path, shared);
    shared.users += 1;
    try {
      const folder = await this.open(shared, existing === undefined);
      if (folder) return await work(folder);
    } finally {
      shared.users -= 1;
      await this.closeUnused(shared);
    }
    // Another folder may have taken its place.
    return this.use(path, work);
  }

  /** Call it once nothing is in progress. */
  async close(): Promise<void> {
    for (const shared of this.folders.values()) await close(shared);
    this.folders.clear();
  }

  /** @returns undefined if the folder isn't at its path any more */
  private async open(shared: SharedFolder, isNew: boolean): Promise<PinnedFolder | undefined> {
    try {
      const folder = await shared.opened;
      if (isNew || (await isInPlace(folder))) return folder;
    } catch (error) {
      this.forget(shared);
      throw error;
    }
    this.forget(shared);
    return undefined;
  }

  private forget(shared: SharedFolder): void {
    if (this.folders.get(shared.path) === shared) this.folders.delete(shared.path);
  }

  private async closeUnused(last: SharedFolder): Promise<void> {
    if (last.users === 0 && this.folders.get(last.path) !== last) await close(last);
    const idle = [...this.folders.values()].filter(({ users }) => users === 0);
    const [oldest] = idle;
    if (!oldest || idle.length <= MAX_IDLE) return;
    this.folders.delete(oldest.path);
    await close(oldest);
  }
}

async function isInPlace(folder: PinnedFolder): Promise<boolean> {
  try {
    await folder.check();
    return true;
  } catch {
    return false;
  }
}

async function close({ opened }: SharedFolder): Promise<void> {
  const folder = await opened.catch(() => undefined);
  await folder?.close();
}
