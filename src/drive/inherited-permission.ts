/**
 * Permissions that a file has from its folders or its shared drive. They can only be changed there.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing#permission-propagation
 */
import { DriveError, isDriveError } from '../errors';
import type { DriveContext } from './drive-context';
import { getSharedDrive } from './drives';
import { getMetadata } from './metadata';
import { type Permission, listPermissions } from './permissions';
import type { CallOptions, DriveFile } from '../types';

export interface SharedFile {
  drive: DriveContext;
  file: DriveFile;
  call: CallOptions;
}

/** From the least access to the most. */
const ROLES = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'];

export function rank(role: string): number {
  return ROLES.indexOf(role);
}

/** @returns the role on the file itself, and the highest one from above; undefined for none */
export function rolesOf({ role, permissionDetails = [] }: Permission): {
  direct: string | undefined;
  inherited: string | undefined;
} {
  if (permissionDetails.length === 0) return { direct: role, inherited: undefined };
  const direct = permissionDetails.find(({ inherited }) => inherited !== true);
  const above = permissionDetails.filter(({ inherited }) => inherited === true);
  const roles = above.map((each) => each.role ?? role).sort((one, other) => rank(other) - rank(one));
  return { direct: direct && (direct.role ?? role), inherited: roles[0] };
}

/** Whether the service refused because the permission is inherited; not every service reports where roles come from. */
export function isInheritedRefusal(error: unknown): boolean {
  return isDriveError(error) && /Inherited/.test(error.reason ?? '');
}

/** @returns the error with the key `text`, which names the folder or shared drive that the permission comes from */
export async function inheritedError(
  shared: SharedFile,
  permission: Permission,
  text: 'conflict_inherited' | 'conflict_inherited_role',
): Promise<DriveError> {
  const { type, role, emailAddress, domain } = permission;
  const from = (await sourceOf(shared, permission)) ?? '…';
  return new DriveError('conflict', { text, params: { who: emailAddress ?? domain ?? type, role, from } });
}

/** @returns the name of the folder or shared drive; undefined if it is unknown */
async function sourceOf(
  { drive, file, call }: SharedFile,
  permission: Permission,
): Promise<string | undefined> {
  const details = permission.permissionDetails ?? [];
  const id = details.find(({ inherited }) => inherited === true)?.inheritedFrom;
  try {
    if (id === undefined) return await highestFolderWith(permission, { drive, file, call });
    if (id === file['driveId']) return (await getSharedDrive(drive, id, call)).name;
    return (await getMetadata(drive, id, 'name', call)).name;
  } catch (error) {
    if (isDriveError(error, 'cancelled')) throw error;
    return undefined;
  }
}

/** Limits the requests of a lookup that only improves a message. */
const MAX_LEVELS = 20;

async function highestFolderWith(
  { id }: Permission,
  { drive, file, call }: SharedFile,
): Promise<string | undefined> {
  let name: string | undefined;
  let [parent] = file.parents ?? [];
  for (let level = 0; parent !== undefined && level < MAX_LEVELS; level++) {
    const isShared = (await listPermissions(drive, parent, call)).some((each) => each.id === id);
    if (!isShared) break;
    const folder = await getMetadata(drive, parent, 'name,parents', call);
    name = folder.name;
    [parent] = folder.parents ?? [];
  }
  return name;
}
