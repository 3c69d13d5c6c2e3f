/**
 * Checks in one request whether the cached folders of a path still exist. If a folder turns out to be missing only when
 * it is used, {@link FolderCache.retryWithoutCache} handles it.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import { isDriveError } from '../errors';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, rootId } from './drive-context';
import { folderMimeType } from './item-kind';
import { listPages } from './list';
import { isIncomplete, listComplete } from './list-complete';
import { isOutside } from './outside-drive';
import { allOf, anyOf, inParents, mimeTypeEquals, nameEquals, notTrashed } from './query';
import { countNamesInOneQuery, toNFC, unicodeForms } from './name-query';
import type { CachedFolder } from './folder-cache';

/** Leaves room for the folder ids in the URL. */
const MAX_FOLDERS = 20;

/** False for custom services, which may not support `or`: docs/signing-in.md. */
export function canRevalidate(service: Service, path: readonly CachedFolder[]): boolean {
  const names = path.map(({ name }) => name);
  const fits = path.length <= MAX_FOLDERS && countNamesInOneQuery(service, names) === names.length;
  return service.can.queries && fits;
}

/** @returns the folders of the path that are unchanged and the only ones of their name */
export async function revalidatePath(
  drive: DriveContext,
  path: readonly CachedFolder[],
  call: CallOptions,
): Promise<CachedFolder[]> {
  const found = await listFolders(drive, path, call);
  // The cached path contains the alias `root` instead of the id of the root folder.
  const isInRoot = ({ folderId }: CachedFolder): boolean =>
    folderId === rootId(drive.service) && folderId !== drive.service.driveId;
  const parentIds = new Set(path.filter((folder) => !isInRoot(folder)).map(({ folderId }) => folderId));
  // `parents` in a response never contains the alias, so a folder in none of the other parents must be in the root.
  const isIn = ({ parents = [] }: DriveFile, folder: CachedFolder): boolean =>
    isInRoot(folder) ? !parents.some((id) => parentIds.has(id)) : parents.includes(folder.folderId);
  return path.filter((folder) => {
    const matches = found.filter(
      (file) => toNFC(file.name ?? '') === toNFC(folder.name) && isIn(file, folder),
    );
    return matches.length === 1 && matches[0]?.id === folder.id;
  });
}

/**
 * @returns `[]` if the list stays incomplete or a parent doesn't exist: the caller then looks up each folder separately
 */
async function listFolders(
  drive: DriveContext,
  path: readonly CachedFolder[],
  call: CallOptions,
): Promise<DriveFile[]> {
  const terms = path.map(
    ({ folderId, name }) => `(${allOf([inParents(folderId), anyOf(unicodeForms(name).map(nameEquals))])})`,
  );
  const q = allOf([mimeTypeEquals(folderMimeType(drive.service)), notTrashed, anyOf(terms)]);
  const anyDrive = path.some(({ folderId }) => isOutside(drive, folderId));
  const request = { q, fields: 'id,name,parents', anyDrive };
  const pages = (budgeted: CallOptions) => listPages(drive, request, budgeted);
  try {
    return await listComplete(drive, { pages }, call);
  } catch (error) {
    if (isDriveError(error, 'not_found') || isIncomplete(error)) return [];
    throw error;
  }
}
