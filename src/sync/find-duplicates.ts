/** Finds items of the same name in folders, in which several clients may have created them at the same time. */
import { type DriveContext, isFolder, rootId } from '../api/drive-context';
import { listPages } from '../api/list';
import { allOf, anyOf, inParents, mimeTypeEquals, mimeTypeNotEquals, notTrashed } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import { FOLDERS_PER_QUERY } from './list-drive';

export interface Duplicates {
  parentId: string;
  /** In NFC. */
  name: string;
  /** At least two, the oldest first. */
  ids: string[];
}

/** @returns nothing for a custom service, whose creation times may be missing */
export async function findDuplicates(
  drive: DriveContext,
  parentIds: readonly string[],
  { kind }: { kind: 'files' | 'folders' },
  call: CallOptions,
): Promise<Duplicates[]> {
  const duplicates: Duplicates[] = [];
  if (drive.service.kind !== 'google') return duplicates;
  for (let start = 0; start < parentIds.length; start += FOLDERS_PER_QUERY) {
    duplicates.push(
      ...(await findInFolders(drive, parentIds.slice(start, start + FOLDERS_PER_QUERY), kind, call)),
    );
  }
  return duplicates;
}

async function findInFolders(
  drive: DriveContext,
  parentIds: readonly string[],
  kind: 'files' | 'folders',
  call: CallOptions,
): Promise<Duplicates[]> {
  const { folderMimeType } = drive.service;
  const type = kind === 'folders' ? mimeTypeEquals(folderMimeType) : mimeTypeNotEquals(folderMimeType);
  const q = allOf([anyOf(parentIds.map(inParents)), type, notTrashed]);
  // Of files in the root, `parents` contains the root's own id instead of the alias.
  const topId = parentIds.find((id) => id === rootId(drive.service)) ?? parentIds[0];
  const byName = new Map<string, DriveFile[]>();
  for await (const { files } of listPages(
    drive,
    { q, fields: 'id,name,mimeType,parents,createdTime' },
    call,
  )) {
    for (const file of files) {
      if (isFolder(drive.service, file.mimeType) !== (kind === 'folders')) continue;
      const parentId = file.parents?.find((id) => parentIds.includes(id)) ?? topId;
      const key = JSON.stringify([parentId, file.name?.normalize('NFC')]);
      const others = byName.get(key);
      if (others) others.push(file);
      else byName.set(key, [file]);
    }
  }
  return [...byName].filter(([, files]) => files.length > 1).map(toDuplicates);
}

function toDuplicates([key, files]: [string, DriveFile[]]): Duplicates {
  const [parentId, name] = JSON.parse(key) as [string, string];
  const sorted = files.sort((a, b) => createdAt(a) - createdAt(b) || (a.id < b.id ? -1 : 1));
  return { parentId, name, ids: sorted.map(({ id }) => id) };
}

function createdAt({ createdTime = '' }: DriveFile): number {
  return Date.parse(createdTime) || 0;
}
