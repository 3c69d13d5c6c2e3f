/**
 * Keeps one folder when several clients create the same name at the same time, which the service allows. Each client
 * checks after creating: the oldest folder stays, and the others move theirs to the trash.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { isDriveError } from '../errors';
import type { CallOptions, DriveFile, NameInFolder } from '../types';
import { trash, untrash } from './delete';
import type { DriveContext } from './drive-context';
import { ambiguousName } from './ambiguous-name';
import { findFolders } from './find-folders';
import { hasChildren } from './has-children';

/** ms between the creation times of folders that were created concurrently. */
const CONCURRENT_WITHIN = 10_000;

/** Whether the folders were created at about the same time, so that a client may be about to remove one. */
export function areConcurrent(folders: readonly DriveFile[]): boolean {
  let [first, last] = [Infinity, -Infinity];
  for (const time of folders.map(createdAt)) [first, last] = [Math.min(first, time), Math.max(last, time)];
  return last - first < CONCURRENT_WITHIN;
}

export interface CreatedFolder extends NameInFolder {
  created: DriveFile;
  fields: string;
}

/**
 * @returns the folder that stays: the created one, or an older one. Without creation times it is the created one.
 * @throws `conflict` if the created folder can't be removed: it has content, or the service has no trash
 */
export async function keepOldest(
  drive: DriveContext,
  { created, ...request }: CreatedFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const found = await findFolders(drive, request, call);
  const [oldest = created] = [...found].sort(oldestFirst);
  const isOldest = oldest.id === created.id || !found.some(({ id }) => id === created.id);
  if (isOldest || found.some((folder) => Number.isNaN(createdAt(folder)))) return created;
  if (!(await removeEmpty(drive, created.id, call))) throw ambiguousName(request.name, found);
  return oldest;
}

/** @returns false if the folder stays */
async function removeEmpty(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  if (await hasChildren(drive, id, call)) return false;
  try {
    await trash(drive, id, call);
  } catch (error) {
    if (isDriveError(error) && error.text === 'bad_response_no_trash') return false;
    throw error;
  }
  if (!(await hasChildren(drive, id, call))) return true;
  // Another client has put a file into it between the check and the removal.
  await untrash(drive, id, call);
  return false;
}

/** All clients must keep the same one of several items, so items of the same time need an order, too. */
export function oldestFirst(a: DriveFile, b: DriveFile): number {
  return (createdAt(a) || 0) - (createdAt(b) || 0) || (a.id < b.id ? -1 : 1);
}

/** @returns NaN without a creation time */
function createdAt({ createdTime = '' }: DriveFile): number {
  return Date.parse(createdTime);
}
