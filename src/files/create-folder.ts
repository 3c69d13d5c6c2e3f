/**
 * Folders: a file of the folder media type, without content.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { DriveError, isDriveError } from '../errors';
import { allOf, inParents, mimeTypeIs, nameContains, nameIs, notTrashed } from '../query';
import type { CallOptions, DriveFile } from '../types';
import { type Drive, folderMimeType, rootId, sharedDrives } from './drive';
import { checkedFile, onlyFields, withFields } from './file-fields';
import { pages } from './list';
import { metadata } from './metadata';
import type { NewIds } from './new-id';

export interface NewFolder {
  name: string;
  /** `''`: the root. */
  parentId: string;
  fields: string;
}

/**
 * @returns the folder of that name in that place; made where there is none
 * @throws `conflict` listing the ids where there are several
 */
export async function folderNamed(
  drive: Drive,
  newIds: NewIds,
  folder: NewFolder,
  call: CallOptions,
): Promise<{ folder: DriveFile; created: boolean }> {
  const found = await findFolders(drive, folder, call);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new DriveError('conflict', { text: 'conflict_names', params: { name: folder.name, ids } });
  }
  const [only] = found;
  if (only) return { folder: only, created: false };
  return { folder: await createFolder(drive, newIds, folder, call), created: true };
}

/** Compares names here: a custom service only knows `contains`. */
async function findFolders(
  drive: Drive,
  { name, parentId, fields }: NewFolder,
  call: CallOptions,
): Promise<DriveFile[]> {
  const { service } = drive;
  const isGoogle = service.kind === 'google';
  const q = allOf([
    inParents(parentId || rootId(service)),
    mimeTypeIs(folderMimeType(service)),
    isGoogle ? nameIs(name) : nameContains(name),
    ...(isGoogle ? [notTrashed] : []),
  ]);
  const found: DriveFile[] = [];
  for await (const page of pages(drive, { q, fields: withFields(fields, ['id', 'name', 'trashed']) }, call)) {
    for (const file of page.files) {
      if (file.name?.normalize('NFC') === name.normalize('NFC') && file.trashed !== true) {
        found.push(onlyFields(checkedFile(file), fields));
      }
    }
  }
  return found;
}

async function createFolder(
  drive: Drive,
  newIds: NewIds,
  { name, parentId, fields }: NewFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const id = await newIds.next(call);
  const parent = parentId || service.driveId;
  const body = {
    ...(id === undefined ? {} : { id }),
    name,
    mimeType: folderMimeType(service),
    ...(parent ? { parents: [parent] } : {}),
  };
  try {
    const answer = await engine.json(
      {
        method: 'POST',
        url: `${service.baseUrl}/drive/v3/files`,
        query: { fields, ...sharedDrives(service) },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      },
      call,
      id !== undefined,
    );
    return checkedFile(answer);
  } catch (error) {
    // An earlier try had come through and only its answer was lost.
    if (id !== undefined && isDriveError(error, 'conflict')) return metadata(drive, id, fields, call);
    throw error;
  }
}
