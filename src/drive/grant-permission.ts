/**
 * Creates, changes and removes one permission of a file.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing
 */
import { DriveError, isDriveError } from '../errors';
import {
  type NewPermission,
  type Permission,
  createPermission,
  deletePermission,
  listPermissions,
  updatePermission,
} from './permissions';
import { mayHaveBeenProcessed } from '../http/retry';
import { type SharedFile, inheritedError, isInheritedRefusal, rank, rolesOf } from './inherited-permission';
import { type ShareRequest, isFor, toPermission } from './share-request';

/** @throws `invalid_input` if Google refuses to share silently with an address that has no Google account */
export async function grantPermission(shared: SharedFile, request: ShareRequest): Promise<void> {
  const permission = toPermission(request);
  try {
    await createOnce(shared, request, { ...permission, ...expiration(request) });
  } catch (error) {
    if (!isDriveError(error) || error.reason !== 'cannotSetExpirationOnInsert')
      throw silentError(error, request);
    const { id } = await createUnlimited(shared, request, permission);
    await limitPermission(shared, request, id);
  }
}

/**
 * Creates a permission without its expiration, which must not stay if its response is lost or the call is cancelled.
 */
async function createUnlimited(
  shared: SharedFile,
  request: ShareRequest,
  permission: NewPermission,
): Promise<Permission> {
  try {
    return await createOnce(shared, request, permission);
  } catch (error) {
    // Not cancelled with the call.
    const undo: SharedFile = { ...shared, call: { retryFor: 0 } };
    const permissions = await listPermissions(undo.drive, undo.file.id, undo.call).catch(() => []);
    const created = permissions.find((each) => isAsCreated(each, request));
    if (created) await removePermission(undo, created).catch(() => undefined);
    throw error;
  }
}

function isAsCreated(permission: Permission, { grantee, role }: ShareRequest): boolean {
  return isFor(permission, grantee) && rolesOf(permission).direct === role;
}

/** If the response was lost, the permission may exist, and a second request would send a second e-mail. */
async function createOnce(
  { drive, file, call }: SharedFile,
  request: ShareRequest,
  permission: NewPermission,
): Promise<Permission> {
  const { notify, message } = request;
  const isCreated = (each: Permission): boolean => isAsCreated(each, request);
  let mayExist = false;
  return drive.engine.retry(async () => {
    const created = mayExist && (await listPermissions(drive, file.id, call)).find(isCreated);
    if (created) return created;
    try {
      return await createPermission(drive, { fileId: file.id, permission, notify, message }, call);
    } catch (error) {
      mayExist ||= isDriveError(error) && mayHaveBeenProcessed(error);
      throw error;
    }
  }, call);
}

/** Sets the expiration of a new permission, which must not stay without one. */
async function limitPermission(
  { drive, file, call }: SharedFile,
  request: ShareRequest,
  permissionId: string,
): Promise<void> {
  const permission = { fileId: file.id, permissionId };
  const changes = { role: request.role, ...expiration(request) };
  try {
    await updatePermission(drive, { ...permission, changes }, call);
  } catch (error) {
    // Also after the message was cancelled.
    await deletePermission(drive, permission, {}).catch(() => {
      const params = { who: request.grantee.name };
      throw new DriveError('partial_failure', { text: 'partial_failure_expiration', params });
    });
    throw error;
  }
}

/**
 * Gives an existing permission the requested role, expiration and discovery.
 * @returns whether anything was changed
 */
export async function changePermission(
  shared: SharedFile,
  request: ShareRequest,
  existing: Permission,
): Promise<boolean> {
  checkNotOwner(existing);
  const { direct, inherited } = rolesOf(existing);
  const surplus = rank(inherited ?? '') - rank(request.role);
  // An inherited role that is the same doesn't end.
  if (surplus > 0 || (surplus === 0 && request.expires))
    throw await inheritedError(shared, existing, 'conflict_inherited_role');
  if (surplus === 0 && !direct) return false;
  if (!direct) await grantPermission(shared, request);
  else if (isAsRequested(existing, direct, request)) return false;
  else await update(shared, request, existing);
  return true;
}

function isAsRequested(existing: Permission, role: string, { expires, ...request }: ShareRequest): boolean {
  const { allowFileDiscovery = false, expirationTime = '' } = existing;
  const hasDiscovery = request.grantee.type !== 'domain' || allowFileDiscovery === request.discoverable;
  const hasExpiration = !expires || Date.parse(expirationTime) === expires.getTime();
  return role === request.role && hasDiscovery && hasExpiration;
}

async function update(shared: SharedFile, request: ShareRequest, existing: Permission): Promise<void> {
  const { grantee, role, discoverable } = request;
  const discovery = grantee.type === 'domain' ? { allowFileDiscovery: discoverable } : {};
  const changes = { role, ...discovery, ...expiration(request) };
  const permission = { fileId: shared.file.id, permissionId: existing.id, changes };
  try {
    await updatePermission(shared.drive, permission, shared.call);
  } catch (error) {
    if (!isInheritedRefusal(error)) throw error;
    throw await inheritedError(shared, existing, 'conflict_inherited_role');
  }
}

/** @throws `conflict` if the permission is inherited or the owner's */
export async function checkRemovable(shared: SharedFile, permission: Permission): Promise<void> {
  checkNotOwner(permission);
  if (rolesOf(permission).inherited) throw await inheritedError(shared, permission, 'conflict_inherited');
}

/** @throws `conflict` if the service refuses because the permission is inherited */
export async function removePermission(shared: SharedFile, permission: Permission): Promise<void> {
  const { drive, file, call } = shared;
  try {
    await deletePermission(drive, { fileId: file.id, permissionId: permission.id }, call);
  } catch (error) {
    if (!isInheritedRefusal(error)) throw error;
    throw await inheritedError(shared, permission, 'conflict_inherited');
  }
}

function checkNotOwner({ role, emailAddress = '' }: Permission): void {
  if (role === 'owner')
    throw new DriveError('conflict', { text: 'conflict_owner', params: { who: emailAddress } });
}

function expiration({ expires }: ShareRequest): Pick<NewPermission, 'expirationTime'> {
  return expires ? { expirationTime: expires.toISOString() } : {};
}

/** Google sends an invitation to an address that has no Google account, and refuses to share without it. */
function silentError(error: unknown, { notify, grantee }: ShareRequest): unknown {
  if (notify || !isDriveError(error) || error.reason !== 'invalidSharingRequest') return error;
  const { status, reason } = error;
  const params = { who: grantee.name };
  return new DriveError('invalid_input', { text: 'invalid_input_notify', params, status, reason });
}
