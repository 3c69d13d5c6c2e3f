/**
 * Folders that a shortcut leads to, and those in them: they may be outside the account's shared drive, whose lists don't
 * contain their files.
 */
import { BoundedMap } from '../concurrency/bounded-map';
import type { Service } from '../types';

const MAX_FOLDERS = 10_000;
const foldersOf = new WeakMap<Service, BoundedMap<string, true>>();

export function markOutside(service: Service, folderId: string): void {
  if (service.driveId === '') return;
  const folders = foldersOf.get(service) ?? new BoundedMap<string, true>(MAX_FOLDERS);
  foldersOf.set(service, folders);
  folders.set(folderId, true);
}

export function isOutside(service: Service, folderId: string | undefined): boolean {
  return folderId !== undefined && foldersOf.get(service)?.get(folderId) === true;
}
