/**
 * Folders: a file of the folder media type, without content.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import type { CallOptions, DriveFile } from '../types';
import { type Drive, folderMimeType, parentsFor, rootId, sharedDrives } from './drive';
import { checkedFile, onlyFields } from './file-fields';
import { ambiguous, composed, findByName } from './find-by-name';
import { madeOnce } from './made-once';
import type { NewIds } from './new-id';
import type { PlaceTurns } from './place-turns';

export interface NewFolder {
  name: string;
  /** `''`: the root. */
  parentId: string;
  fields: string;
}

export interface NamedFolder {
  folder: DriveFile;
  created: boolean;
}

/** What the makers of an account's folders share. */
export interface FolderContext {
  drive: Drive;
  newIds: NewIds;
  turns: PlaceTurns;
}

/**
 * Of several calls at once for one name in one place the first makes the folder and the others find it.
 * @returns the folder of that name in that place; made where there is none
 * @throws `conflict` listing the ids where there are several
 */
export function folderNamed(
  { drive, newIds, turns }: FolderContext,
  folder: NewFolder,
  call: CallOptions,
): Promise<NamedFolder> {
  const place = { folderId: folder.parentId || rootId(drive.service), name: composed(folder.name) };
  const onWait = (ms: number): void => {
    if (!call.signal?.aborted) call.onWait?.(ms);
  };
  return turns.run(place, (signal) => foundOrMade(drive, newIds, folder, { signal, onWait }), call.signal);
}

async function foundOrMade(
  drive: Drive,
  newIds: NewIds,
  folder: NewFolder,
  call: CallOptions,
): Promise<NamedFolder> {
  const { name, parentId, fields } = folder;
  const found = await findByName(drive, { names: [name], folderId: parentId, kind: 'folders', fields }, call);
  if (found.length > 1) throw ambiguous(name, found);
  const [only] = found;
  if (only) return { folder: onlyFields(only, fields), created: false };
  return { folder: await createFolder(drive, newIds, folder, call), created: true };
}

async function createFolder(
  drive: Drive,
  newIds: NewIds,
  { name, parentId, fields }: NewFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const id = await newIds.next(call);
  const body = {
    ...(id === undefined ? {} : { id }),
    name,
    mimeType: folderMimeType(service),
    ...parentsFor(service, parentId),
  };
  const make = async (): Promise<DriveFile> => {
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
  };
  return madeOnce(drive, { id, fields }, make, call);
}
