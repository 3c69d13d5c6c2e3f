/** What is watched: whose changes, and the folder as it is now. */
import { createHash } from 'node:crypto';
import { DriveError } from '../errors';
import { getAbout } from '../api/about';
import { type DriveContext, isUnsupportedRequest } from '../api/drive-context';
import { getMetadataIfSupported } from '../api/metadata';
import { isObject } from '../http/json';
import type { CallOptions } from '../types';
import type { Change } from '../api/changes';
import type { WatchedFolder } from './folder-scope';

export interface WatchTarget extends WatchedFolder {
  /** Tells it from another person's, service's or folder's changes. */
  fingerprint: string;
}

/** @throws `not_found` where the folder is in the trash or isn't there */
export async function resolveWatchTarget(
  drive: DriveContext,
  place: WatchedFolder,
  call: CallOptions,
): Promise<WatchTarget> {
  const { baseUrl, driveId } = drive.service;
  const folderId = place.folderId === '' ? '' : await existing(drive, place.folderId, call);
  const recursive = place.recursive && folderId !== '';
  const all = [baseUrl, driveId, folderId, recursive, await person(drive, call)];
  const fingerprint = createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, 22);
  return { folderId, recursive, fingerprint };
}

/** @throws `not_found` where it has been thrown away or removed by now */
export function checkFolderExists({ folderId }: WatchedFolder, changes: readonly Change[]): void {
  const folder = changes.find(({ fileId }) => fileId === folderId);
  if (folder && (!folder.file || folder.file.trashed === true))
    throw new DriveError('not_found', { text: 'not_found_watched' });
}

/** @returns its id, also where an alias was given: files name their folder by that */
async function existing(drive: DriveContext, folderId: string, call: CallOptions): Promise<string> {
  const folder = await getMetadataIfSupported(drive, folderId, 'id,trashed', call);
  if (folder?.trashed === true) throw new DriveError('not_found', { text: 'not_found_watched' });
  return folder?.id ?? folderId;
}

/** A place in the feed is of no use to anyone else. @returns `''` where the service doesn't say */
async function person(drive: DriveContext, call: CallOptions): Promise<string> {
  try {
    const { user } = await getAbout(drive, 'user', call);
    const { permissionId, emailAddress } = isObject(user) ? user : {};
    return [permissionId, emailAddress].find((each) => typeof each === 'string') ?? '';
  } catch (error) {
    const isCustom = drive.service.kind === 'custom';
    if (isCustom && isUnsupportedRequest(error)) return '';
    throw error;
  }
}
