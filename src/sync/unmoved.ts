/** Whether files and folders on the drive are still where they were listed: others may move them during a long run. */
import { isDriveError } from '../errors';
import { getMetadataIfSupported } from '../drive/metadata';
import { isNameOf } from '../fs/safe-name';
import type { DriveFile } from '../types';
import type { SyncFile, SyncFolder } from './sync-folder';
import type { SyncRun } from './sync-run';

/** ms for which a list, or a look at a folder, is recent enough. */
const MAX_AGE = 60_000;

/**
 * Asks only if the list is old, because a run usually changes a few files and ends soon.
 * @returns false for a file that someone has moved or renamed since it was listed, so that new content doesn't replace
 *   it in its new place
 */
export async function mayReplace(run: SyncRun, { folder, name, remote }: SyncFile): Promise<boolean> {
  if (!remote || run.now - run.listedAt < MAX_AGE) return true;
  return isUnmoved(run, { id: remote.id, name, parent: folder });
}

/** A file or folder on the drive, as it was listed. */
interface Listed {
  id: string;
  /** On disk. */
  name: string;
  parent: SyncFolder;
  /** Undefined if it doesn't matter. */
  time?: number | undefined;
}

/** @returns false if it was changed, renamed or moved since it was listed, itself or with a folder that contains it */
export async function isUnmoved(run: SyncRun, { id, name, parent, time }: Listed): Promise<boolean> {
  const fields = 'id,name,parents,trashed,modifiedTime';
  try {
    const file = await getMetadataIfSupported(run.context.upload.drive, id, fields, run.call);
    if (!file) return true;
    const isSame = time === undefined || Date.parse(file.modifiedTime ?? '') === time;
    if (!isSame || file.trashed === true || !isNameOf(file.name ?? name, name)) return false;
    return (await isIn(run, file, parent)) && (await isInPlace(run, parent));
  } catch (error) {
    if (isDriveError(error, 'not_found')) return false;
    throw error;
  }
}

async function isIn(run: SyncRun, file: DriveFile, { driveId = '' }: SyncFolder): Promise<boolean> {
  const { rootFolder } = run.context;
  // The root's alias isn't the id that files have as their parent.
  const id = rootFolder.isAlias(driveId) ? await rootFolder.inferId(file, run.call) : driveId;
  return !file.parents || file.parents.includes(id ?? '');
}

/** Whether a folder is still where it was listed, under the same name. The target of a shortcut is elsewhere anyway. */
export function isInPlace(run: SyncRun, folder: SyncFolder): Promise<boolean> {
  const { parent, name, driveId, isShared } = folder;
  if (!parent || driveId === undefined || isShared) return Promise.resolve(true);
  const known = run.inPlace.get(folder);
  if (known && run.now - known.at < MAX_AGE) return known.result;
  const result = isUnmoved(run, { id: driveId, name, parent });
  run.inPlace.set(folder, { at: run.now, result });
  // The next file asks again after an error.
  result.catch(() => void run.inPlace.delete(folder));
  return result;
}
