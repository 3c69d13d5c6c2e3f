import type { IncomingMessage } from 'node:http';
import { ApiError, fileNotFound } from '../http/api-error';
import { contextOf } from '../http/request-context';
import type { FileRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';

/**
 * The spaces of the service: the drive and the hidden app data folder.
 * https://developers.google.com/workspace/drive/api/guides/appdata
 */
export type Space = 'drive' | 'appDataFolder';

export function spaceOf(store: FileStore, { id }: FileRecord): Space {
  return store.isWithin(id, store.appDataId) ? 'appDataFolder' : 'drive';
}

/** 403 if the token's scopes don't grant access to the requested spaces. */
export function checkGrantedSpaces(request: IncomingMessage, spaces: readonly string[]): void {
  const granted: readonly string[] = contextOf(request).grantedSpaces;
  if (spaces.every((each) => each === 'photos' || granted.includes(each))) return;
  const message = 'The granted scopes do not give access to all of the requested spaces.';
  throw new ApiError(403, 'insufficientScopes', message, { location: 'spaces', locationType: 'parameter' });
}

/** 404 for a file in a space without access. Unknown ids are checked later. */
export function checkVisible(store: FileStore, request: IncomingMessage, id: string): void {
  const record = store.get(id);
  if (record && !contextOf(request).grantedSpaces.includes(spaceOf(store, record))) throw fileNotFound(id);
}

/** 403 for moving a file to another space or trashing a file in the app data folder. */
export function checkSpaceUnchanged(
  store: FileStore,
  record: FileRecord,
  to: { trashed?: boolean; parent?: FileRecord },
): void {
  const space = spaceOf(store, record);
  const trashed = to.trashed === true && space === 'appDataFolder';
  if (!trashed && (!to.parent || spaceOf(store, to.parent) === space)) return;
  const message = 'Method not supported for files within the Application Data folder.';
  throw new ApiError(403, 'notSupportedForAppDataFolderFiles', message);
}
