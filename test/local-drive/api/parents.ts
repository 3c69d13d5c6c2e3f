import { ApiError, fileNotFound, invalidValue } from '../http/api-error';
import { isFolder, type FileRecord } from '../storage/file-record';
import type { DriveBackend } from './backend';
import { checkSupportsAllDrives, checkMove, checkRole } from './shared-drives';
import { checkSpaceUnchanged } from './spaces';

/** The parent of a new file, My Drive by default; 404 if it doesn't exist. */
export function parentOfNewFile(drive: DriveBackend, parents: string[] | undefined): string {
  if (parents === undefined || parents.length === 0) return drive.store.rootId;
  if (parents.length > 1) throw invalidValue('parents', 'A file can only have one parent.');
  const folder = existingFolder(drive, parents[0] ?? '');
  checkRole(drive.store, folder, 'writer');
  return folder.id;
}

/**
 * The parent after `addParents` and `removeParents` of an update. Removals come first, so an id in both stays.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
export function parentAfterUpdate(
  drive: DriveBackend,
  record: FileRecord,
  query: URLSearchParams,
): string | undefined {
  const added = parseIds(query.get('addParents'));
  const removed = parseIds(query.get('removeParents')).map((id) => drive.store.get(id)?.id ?? id);
  checkSupportsAllDrives(drive.store, query, added);
  if (added.length + removed.length > 0 && drive.store.isTopFolder(record.id)) {
    throw new ApiError(403, 'insufficientFilePermissions', 'The root folder cannot be moved.');
  }
  const folders = added.map((id) => existingFolder(drive, id));
  for (const parent of folders) checkSpaceUnchanged(drive.store, record, { parent });
  const remaining = record.parent !== undefined && !removed.includes(record.parent) ? [record.parent] : [];
  const parents = new Set([...remaining, ...folders.map(({ id }) => id)]);
  if (parents.size > 1) {
    if (drive.store.driveIdOf(record) !== undefined)
      throw new ApiError(403, 'teamDrivesParentLimit', 'A shared drive item must have exactly one parent.');
    throw new ApiError(403, 'cannotAddParent', 'Increasing the number of parents is not allowed');
  }
  const [parent] = parents;
  checkMove(drive.store, record, parent === undefined ? undefined : drive.store.get(parent));
  if (isFolder(record) && drive.store.isWithin(parent, record.id)) {
    throw new ApiError(403, 'cyclicalParent', 'A folder cannot be moved into itself or its own subfolders.');
  }
  return parent;
}

function existingFolder(drive: DriveBackend, id: string): FileRecord {
  const folder = drive.store.get(id);
  if (!folder) throw fileNotFound(id);
  if (!isFolder(folder)) {
    throw new ApiError(403, 'parentNotAFolder', 'The specified parent is not a folder.');
  }
  return folder;
}

function parseIds(text: string | null): string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
