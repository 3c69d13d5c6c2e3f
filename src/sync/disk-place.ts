/** Where a download writes a file: in a folder that no link can replace meanwhile. */
import path from 'node:path';
import { DriveError } from '../errors';
import { realpath } from 'node:fs/promises';
import { type PinnedFolder, checkLength, isInside } from '../fs/pinned-folder';
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
