/**
 * Folders that were found or created earlier, by their name in a folder. Lists may lack a folder for a while: creating
 * it again would make its path ambiguous for good.
 */
import { isDeepStrictEqual } from 'node:util';
import { ifFound } from '../errors';
import type { CallOptions, DriveFile, NameInFolder } from '../types';
import type { DriveContext } from './drive-context';
import { withFields } from './fields';
import { getMetadataIfSupported } from './metadata';
import { nameKey, toNFC } from './name-query';

/** The fields that {@link rememberFolder} needs. */
export const KNOWN_FOLDER_FIELDS = ['parents'];

/**
 * @param knownFolders of the context before the folder was looked up: another user may have signed in since.
 * @param folder or a shortcut to one, as it was found under that name
 */
export function rememberFolder(
  knownFolders: DriveContext['knownFolders'],
  name: NameInFolder,
  { id, parents }: DriveFile,
): void {
  knownFolders.set(nameKey(name), { id, ...(parents && { parents }) });
}

/** @returns undefined if no folder of that name is known, or if it was moved, renamed or removed since */
export async function findKnownFolder(
  drive: DriveContext,
  name: NameInFolder,
  fields: string,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  const known = drive.knownFolders.get(nameKey(name));
  if (!known) return undefined;
  const required = withFields(fields, ['name', 'trashed', ...KNOWN_FOLDER_FIELDS]);
  const file = await ifFound(getMetadataIfSupported(drive, known.id, required, call));
  if (!file || file.trashed === true || toNFC(file.name ?? '') !== toNFC(name.name)) return undefined;
  const { parents = known.parents } = file;
  return known.parents && !isDeepStrictEqual(parents, known.parents) ? undefined : file;
}
