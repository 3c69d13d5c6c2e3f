/** Whether a folder has any content. */
import type { CallOptions } from '../types';
import { type DriveContext, ifSupported } from './drive-context';
import { listPages } from './list';
import { inParents } from './query';

/** @returns true also if the list may be incomplete. An empty page alone doesn't prove that a folder is empty. */
export async function hasChildren(
  drive: DriveContext,
  folderId: string,
  call: CallOptions,
): Promise<boolean> {
  const request = { q: inParents(folderId), fields: 'id', pageSize: 1 };
  for await (const { files, incompleteSearch } of listPages(drive, request, call)) {
    if (files.length > 0 || incompleteSearch) return true;
  }
  return false;
}

/** As {@link hasChildren} for the id of a file or folder: false if a custom service rejects the query for a file. */
export async function isNonEmptyFolder(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  return (await ifSupported(drive.service, 'metadata', hasChildren(drive, id, call))) ?? false;
}
