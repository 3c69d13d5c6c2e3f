/**
 * Folders that a shortcut leads to, and those in them: they may be outside the account's shared drive, whose lists
 * don't contain their files.
 */
import type { DriveContext } from './drive-context';

/** Limits the memory: about 10 MB. */
const MAX_FOLDERS = 100_000;

export function markOutside({ service, outsideFolders }: DriveContext, folderId: string): void {
  if (service.driveId !== '' && outsideFolders.size < MAX_FOLDERS) outsideFolders.add(folderId);
}

/**
 * With too many folders, every folder counts as outside: a list of all drives takes longer, but in a list of the shared
 * drive an outside folder would look empty, and its copies on disk could be removed.
 */
export function isOutside({ outsideFolders }: DriveContext, folderId: string | undefined): boolean {
  if (folderId === undefined) return false;
  return outsideFolders.size >= MAX_FOLDERS || outsideFolders.has(folderId);
}
