/**
 * Whether folders that were found one after the other are still where they were: one request, however long the way is.
 * https://developers.google.com/workspace/drive/api/guides/search-files
 */
import { isDriveError } from '../errors';
import { allOf, anyOf, inParents, mimeTypeEquals, nameEquals, notTrashed } from '../api/query';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, folderMimeType, rootId } from '../api/drive-context';
import { countNamesInOneQuery, toNFC, unicodeForms } from '../files/find-by-name';
import type { CachedFolder } from './folder-cache';
import { listPages } from '../api/list';

/** Their ids have room in an address beside the names. */
const MOST = 20;

/** A custom service need know no `or`: docs/signing-in.md. */
export function canRevalidate(service: Service, way: readonly CachedFolder[]): boolean {
  const names = way.map(({ name }) => name);
  const fits = way.length <= MOST && countNamesInOneQuery(service, names) === names.length;
  return service.kind === 'google' && fits;
}

/** @returns those that surely are, and are the only ones of their name there */
export async function revalidatePath(
  drive: DriveContext,
  way: readonly CachedFolder[],
  call: CallOptions,
): Promise<CachedFolder[]> {
  const found = await foldersOn(drive, way, call);
  const isAlias = ({ folderId }: CachedFolder): boolean =>
    folderId === rootId(drive.service) && folderId !== drive.service.driveId;
  const ids = new Set(way.filter((each) => !isAlias(each)).map(({ folderId }) => folderId));
  // A folder names its parent by an id: what is in none of the others is where the alias leads.
  const isIn = ({ parents = [] }: DriveFile, step: CachedFolder): boolean =>
    isAlias(step) ? !parents.some((each) => ids.has(each)) : parents.includes(step.folderId);
  return way.filter((step) => {
    const there = found.filter((each) => toNFC(each.name ?? '') === toNFC(step.name) && isIn(each, step));
    return there.length === 1 && there[0]?.id === step.id;
  });
}

/** Nothing where the list may lack some, or where one of the folders is gone: then a look at each one tells more. */
async function foldersOn(
  drive: DriveContext,
  way: readonly CachedFolder[],
  call: CallOptions,
): Promise<DriveFile[]> {
  const steps = way.map(
    ({ folderId, name }) => `(${allOf([inParents(folderId), anyOf(unicodeForms(name).map(nameEquals))])})`,
  );
  const q = allOf([mimeTypeEquals(folderMimeType(drive.service)), notTrashed, anyOf(steps)]);
  const found: DriveFile[] = [];
  try {
    for await (const { files, incompleteSearch } of listPages(
      drive,
      { q, fields: 'id,name,parents' },
      call,
    )) {
      if (incompleteSearch) return [];
      found.push(...files);
    }
  } catch (error) {
    if (isDriveError(error, 'not_found')) return [];
    throw error;
  }
  return found;
}
