/**
 * Who has access to an item: the owner or the members of its shared drive, and the permissions on it and its folders.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing
 */
import { isFolder, ROLES, SHORTCUT, type FileRecord, type PermissionRecord } from '../storage/file-record';
import type { FileStore } from '../storage/file-store';
import type { DriveBackend } from './backend';
import { hasRole } from './shared-drives';
import { formatTimestamp } from './timestamp';
import { ownerOf, otherUser, USER } from './user';

export type PermissionRole = PermissionRecord['role'] | 'owner';

/** Where a permission comes from; a grantee can have several. */
interface Source {
  permissionType: 'file' | 'member';
  role: PermissionRole;
  inherited: boolean;
  inheritedFrom?: string;
}

/** A permission with the highest role of all its sources. */
export interface EffectivePermission extends Omit<PermissionRecord, 'role'> {
  role: PermissionRole;
  sources: Source[];
}

const ALL_ROLES: readonly PermissionRole[] = [...ROLES, 'owner'];

/** Negative if the first role has less access. */
export function compareRoles(one: PermissionRole, other: PermissionRole): number {
  return ALL_ROLES.indexOf(one) - ALL_ROLES.indexOf(other);
}

/** All permissions of an item, the owner's or the user's own first. Expired ones don't exist. */
export function effectivePermissions(
  { store, clock }: Pick<DriveBackend, 'store' | 'clock'>,
  record: FileRecord,
): EffectivePermission[] {
  const found = new Map<string, EffectivePermission>();
  const isInSharedDrive = store.driveIdOf(record) !== undefined;
  for (const each of isInSharedDrive ? [] : [ownerPermission(store, record)]) found.set(each.id, each);
  for (const item of [...store.withAncestors(record)].reverse()) {
    for (const permission of permissionsOn(item)) {
      if ((permission.expirationTime ?? Infinity) <= clock.now()) continue;
      const inherited = item !== record;
      add(found, permission, {
        permissionType: item.sharedDrive === undefined ? 'file' : 'member',
        role: permission.role,
        inherited,
        ...(inherited && isInSharedDrive && { inheritedFrom: item.id }),
      });
    }
  }
  return [...found.values()];
}

function add(found: Map<string, EffectivePermission>, permission: PermissionRecord, source: Source): void {
  const before = found.get(permission.id);
  const role = before && compareRoles(before.role, permission.role) > 0 ? before.role : permission.role;
  // The details of the permission closest to the item count.
  found.set(permission.id, { ...permission, role, sources: [...(before?.sources ?? []), source] });
}

/** The permissions directly on an item; on a shared drive, its members with the user. */
export function permissionsOn({
  permissions = [],
  sharedDrive,
  sharedWithMe,
}: FileRecord): PermissionRecord[] {
  const role = sharedDrive ?? sharedWithMe?.role;
  const own: PermissionRecord[] = role
    ? [{ id: USER.permissionId, type: 'user', role, emailAddress: USER.emailAddress }]
    : [];
  return [...own, ...permissions];
}

function ownerPermission(store: FileStore, record: FileRecord): EffectivePermission {
  const { permissionId, emailAddress } = ownerOf(store, record) as typeof USER;
  const source: Source = { permissionType: 'file', role: 'owner', inherited: false };
  return { id: permissionId, type: 'user', role: 'owner', emailAddress, sources: [source] };
}

/**
 * Whether the user can change the permissions of an item.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing#scenarios
 */
export function mayShare(store: FileStore, record: FileRecord): boolean {
  if (record.mimeType === SHORTCUT) return false;
  if (store.driveIdOf(record) !== undefined)
    return hasRole(store, record, isFolder(record) ? 'organizer' : 'writer');
  const isOwner = ownerOf(store, record) === USER;
  return isOwner || (hasRole(store, record, 'writer') && record.writersCanShare !== false);
}

/** The Permission resource. https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions */
export function permissionResource(permission: EffectivePermission): object {
  const { id, type, role, emailAddress, domain, expirationTime, sources } = permission;
  return {
    kind: 'drive#permission',
    ...{ id, type, role },
    ...(emailAddress !== undefined && {
      emailAddress,
      displayName: displayNameOf(emailAddress),
      deleted: false,
    }),
    ...(type === 'user' && { pendingOwner: false }),
    ...(domain !== undefined && { domain, displayName: domain }),
    ...((type === 'domain' || type === 'anyone') && {
      allowFileDiscovery: permission.allowFileDiscovery ?? false,
    }),
    ...(expirationTime !== undefined && { expirationTime: formatTimestamp(expirationTime) }),
    permissionDetails: sources,
  };
}

function displayNameOf(emailAddress: string): string {
  return emailAddress === USER.emailAddress ? USER.displayName : String(otherUser(emailAddress).displayName);
}
