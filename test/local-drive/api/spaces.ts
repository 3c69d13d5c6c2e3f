import type { IncomingMessage } from 'node:http';
import { ApiError, fileNotFound } from '../http/api-error';
import { contextOf } from '../http/request-context';
import type { FileRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';

/**
 * The drive itself, and the hidden folder that a client has for itself.
 * https://developers.google.com/workspace/drive/api/guides/appdata
 */
export type Space = 'drive' | 'appDataFolder';

export function spaceOf(store: FileStore, { id }: FileRecord): Space {
  return store.isWithin(id, store.appDataId) ? 'appDataFolder' : 'drive';
}

/** 403 for a list of what the token's scopes don't open. */
export function checkGrantedSpaces(request: IncomingMessage, spaces: readonly string[]): void {
  const granted: readonly string[] = contextOf(request).grantedSpaces;
  if (spaces.every((each) => each === 'photos' || granted.includes(each))) return;
  const message = 'The granted scopes do not give access to all of the requested spaces.';
  throw new ApiError(403, 'insufficientScopes', message, { location: 'spaces', locationType: 'parameter' });
}

/** 404 for a file in a space that the token's scopes don't open; one that isn't there is found out later. */
export function checkVisible(store: FileStore, request: IncomingMessage, id: string): void {
  const record = store.get(id);
  if (record && !contextOf(request).grantedSpaces.includes(spaceOf(store, record))) throw fileNotFound(id);
}

/** 403 where a file would leave its space, or go from the hidden folder to the trash. */
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
