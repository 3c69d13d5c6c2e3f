/**
 * Shares a file or folder, lists who has access, and removes access.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing
 */
import { DriveError, isDriveError } from '../errors';
import { type DriveContext, isUnsupported } from './drive-context';
import { isFolder } from './mime-types';
import { projectFields, withFields } from './fields';
import { getMetadata } from './metadata';
import { type Permission, listPermissions } from './permissions';
import { followShortcut } from './shortcuts';
import type { CallOptions, DriveFile } from '../types';
import {
  changePermission,
  checkRemovable,
  grantPermission,
  inheritedError,
  isFor,
  removePermission,
  type SharedFile,
  type SharedFileRequest,
  type ShareRequest,
  type UnshareRequest,
} from './grant-permission';

export interface ShareResult {
  file: DriveFile;
  /** Everyone who has access. */
  permissions: Permission[];
  /** Whether the grantee had no access before. */
  created: boolean;
  /** Whether the grantee had access, which was removed. */
  removed: boolean;
}

interface OpenedFile extends SharedFile {
  permissions: Permission[];
}

export async function listSharing(
  drive: DriveContext,
  request: SharedFileRequest,
  call: CallOptions,
): Promise<ShareResult> {
  const { file, permissions } = await open(drive, request, call);
  return { file: projectFields(file, request.fields), permissions, created: false, removed: false };
}

/**
 * Sharing again with the same settings changes nothing.
 * @throws `invalid_input` for a role that the file can't have; `conflict` if the grantee owns the file, or inherits
 * more access
 */
export async function share(
  drive: DriveContext,
  request: ShareRequest,
  call: CallOptions,
): Promise<ShareResult> {
  const opened = await open(drive, request, call);
  const { file, permissions } = opened;
  checkRole(opened, request.role);
  const found = permissions.filter((each) => isFor(each, request.grantee));
  const existing = found.find((each) => hasDiscovery(each, request));
  // A link that searches find and one that they don't find are two permissions.
  const replaced = found.filter((each) => each !== existing);
  for (const each of replaced) await checkRemovable(opened, each);
  let isChanged = replaced.length > 0;
  if (existing) isChanged = (await changePermission(opened, request, existing)) || isChanged;
  else await grantPermission(opened, request);
  for (const each of replaced) await removePermission(opened, each);
  return {
    file: projectFields(file, request.fields),
    permissions: isChanged || !existing ? await listPermissions(drive, file.id, call) : permissions,
    created: found.length === 0,
    removed: false,
  };
}

/**
 * Without access, nothing happens.
 * @throws `conflict` if the access is inherited, also if only the list afterwards shows it, or the grantee owns the file
 */
export async function unshare(
  drive: DriveContext,
  request: UnshareRequest,
  call: CallOptions,
): Promise<ShareResult> {
  const opened = await open(drive, request, call);
  const { file, permissions } = opened;
  const found = permissions.filter((each) => isFor(each, request.grantee));
  for (const each of found) await checkRemovable(opened, each);
  for (const each of found) await removePermission(opened, each);
  const removed = found.length > 0;
  const left = removed ? await listLeft(opened, found) : permissions;
  const inherited = left.find((each) => isFor(each, request.grantee));
  if (inherited) throw await inheritedError(opened, inherited, 'conflict_inherited');
  return { file: projectFields(file, request.fields), permissions: left, created: false, removed };
}

/** They can't be listed again if the account has removed its own access. */
async function listLeft(
  { drive, file, permissions, call }: OpenedFile,
  removed: Permission[],
): Promise<Permission[]> {
  try {
    return await listPermissions(drive, file.id, call);
  } catch (error) {
    if (!isDriveError(error, 'not_found') && !isDriveError(error, 'permission_denied')) throw error;
    return permissions.filter((each) => !removed.includes(each));
  }
}

async function open(
  drive: DriveContext,
  { id, fields }: SharedFileRequest,
  call: CallOptions,
): Promise<OpenedFile> {
  try {
    const needed = withFields(fields, ['id', 'mimeType', 'parents', 'driveId', 'shortcutDetails']);
    // Google Drive refuses to share a shortcut.
    const file = await followShortcut(drive, await getMetadata(drive, id, needed, call), needed, call);
    return { drive, file, permissions: await listPermissions(drive, file.id, call), call };
  } catch (error) {
    if (!isUnsupported(drive.service, 'permissions', error)) throw error;
    if (error.code === 'not_found' && error.reason !== undefined) throw error;
    const { params, status } = error;
    throw new DriveError('bad_response', { text: 'bad_response_no_sharing', params, status });
  }
}

/** Google Drive has these roles only on shared drives. */
function checkRole({ drive, file }: OpenedFile, role: string): void {
  const driveId = file['driveId'];
  const isOnDrive = driveId !== undefined && isFolder(drive.service, file.mimeType);
  const isPossible =
    role === 'organizer' ? isOnDrive && driveId === file.id : role !== 'fileOrganizer' || isOnDrive;
  if (isPossible) return;
  throw new DriveError('invalid_input', { text: 'invalid_input_share_role', params: { role } });
}

function hasDiscovery({ type, allowFileDiscovery = false }: Permission, request: ShareRequest): boolean {
  return type !== 'anyone' || allowFileDiscovery === request.discoverable;
}
