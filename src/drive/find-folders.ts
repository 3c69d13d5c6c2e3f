/** Finds the folders of a name in a folder: the service allows several. */
import type { CallOptions, DriveFile, NameInFolder } from '../types';
import type { DriveContext } from './drive-context';
import { withFields } from './fields';
import { findByName } from './find-by-name';

export interface FolderQuery extends NameInFolder {
  fields: string;
  /** Also finds shortcuts of that name. */
  withShortcuts?: boolean;
  /** Also finds files of that name, with `mimeType`. */
  withFiles?: boolean;
}

/**
 * @returns all folders of that name, with their creation times if there are several. A custom service may not support
 * that field, so it is requested only then.
 */
export async function findFolders(
  drive: DriveContext,
  { name, folderId, fields, withShortcuts, withFiles = false }: FolderQuery,
  call: CallOptions,
): Promise<DriveFile[]> {
  const kind = withFiles ? 'any' : 'folders';
  const query = { names: [name], folderId, kind, fields, withShortcuts } as const;
  if (!drive.service.can.creationTimes) {
    const found = await findByName(drive, query, call);
    if (found.length <= 1) return found;
  }
  return findByName(drive, { ...query, fields: withFields(fields, ['createdTime']) }, call);
}
