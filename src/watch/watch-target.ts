/** Identifies what is watched: the user, the service and the folder. */
import { createHash } from 'node:crypto';
import { DriveError } from '../errors';
import { getAbout } from '../drive/about';
import { type DriveContext, ifSupported } from '../drive/drive-context';
import { withFields } from '../drive/fields';
import { getMetadataIfSupported } from '../drive/metadata';
import { followShortcut, shortcutFields } from '../drive/shortcuts';
import { isObject } from '../core/validator';
import type { CallOptions } from '../types';
import type { Change } from '../drive/changes';
import type { WatchedFolder } from './folder-scope';

export interface WatchTarget extends WatchedFolder {
  /** Differs for another user, service or folder. A saved state is valid only for the same fingerprint. */
  fingerprint: string;
}

/** @throws `not_found` if the folder is missing or in the trash */
export async function resolveWatchTarget(
  drive: DriveContext,
  folder: WatchedFolder,
  call: CallOptions,
): Promise<WatchTarget> {
  const { baseUrl, driveId } = drive.service;
  const folderId = folder.folderId === '' ? '' : await folderIdOf(drive, folder.folderId, call);
  const recursive = folder.recursive && folderId !== '';
  const identity = [baseUrl, driveId, folderId, recursive, await userId(drive, call)];
  const fingerprint = createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
  return { folderId, recursive, fingerprint };
}

/** @throws `not_found` if the changes trash or remove the watched folder */
export function checkFolderExists({ folderId }: WatchedFolder, changes: readonly Change[]): void {
  const folder = changes.find(({ fileId }) => fileId === folderId);
  if (folder && (!folder.file || folder.file.trashed === true))
    throw new DriveError('not_found', { text: 'not_found_watched' });
}

/** @returns the id that files have in `parents`, also for an alias such as `root`, and for a shortcut */
async function folderIdOf(drive: DriveContext, folderId: string, call: CallOptions): Promise<string> {
  const fields = withFields('id,trashed', shortcutFields(drive.service));
  const found = await getMetadataIfSupported(drive, folderId, fields, call);
  const folder = found && (await followShortcut(drive, found, fields, call));
  if (folder?.trashed === true) throw new DriveError('not_found', { text: 'not_found_watched' });
  return folder?.id ?? folderId;
}

/** Page tokens are valid for one user only. @returns `''` if the service doesn't identify the user */
async function userId(drive: DriveContext, call: CallOptions): Promise<string> {
  const about = await ifSupported(drive.service, 'about', getAbout(drive, 'user', call));
  const user = about?.['user'];
  const { permissionId, emailAddress } = isObject(user) ? user : {};
  return [permissionId, emailAddress].find((each) => typeof each === 'string') ?? '';
}
