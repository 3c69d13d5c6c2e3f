/**
 * Folders that a shortcut leads to, and those in them: they may be outside the account's shared drive, whose lists don't
 * contain their files.
 */
import type { Service } from '../types';

/** Limits the memory: about 10 MB. */
const MAX_FOLDERS = 100_000;
const foldersOf = new WeakMap<Service, Set<string>>();

export function markOutside(service: Service, folderId: string): void {
  if (service.driveId === '') return;
  const folders = foldersOf.get(service) ?? new Set();
  foldersOf.set(service, folders);
  if (folders.size < MAX_FOLDERS) folders.add(folderId);
}

/**
 * With too many folders, every folder counts as outside: a list of all drives takes longer, but in a list of the shared
 * drive an outside folder would look empty, and its copies on disk could be removed.
 */
export function isOutside(service: Service, folderId: string | undefined): boolean {
  if (folderId === undefined) return false;
  const folders = foldersOf.get(service);
  return folders !== undefined && (folders.size >= MAX_FOLDERS || folders.has(folderId));
}
