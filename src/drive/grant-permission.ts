/**
 * Creates, changes and removes one permission of a file. Those that it has from its folders or its shared drive can only
 * be changed there.
 * https://developers.google.com/workspace/drive/api/guides/manage-sharing#permission-propagation
 */
import { DriveError, isDriveError } from '../errors';
import {
  type NewPermission,
  type Notification,
  type Permission,
  createPermission,
  deletePermission,
  listPermissions,
  updatePermission,
} from './permissions';
import { mayHaveBeenProcessed } from '../http/retry';
import type { DriveContext } from './drive-context';
import { getSharedDrive } from './about';
import { getMetadata } from './metadata';
import type { CallOptions, DriveFile } from '../types';

export interface Grantee {
  /** `anyone`: anyone with the link. */
  type: NewPermission['type'];
  /** E-mail address or domain; `''` for anyone. */
  name: string;
}

/** A shortcut stands for its target. */
export interface SharedFileRequest {
  id: string;
  /** Fields of the file. */
  fields: string;
}

export interface UnshareRequest extends SharedFileRequest {
  grantee: Grantee;
}

export interface ShareRequest extends UnshareRequest, Notification {
  role: string;
  /** Whether searches find the file, for anyone and for a domain. */
  discoverable: boolean;
  /** When the access ends, for users and groups. Without it, an existing end stays. */
  expires?: Date | undefined;
}

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
  else await updateExisting(shared, request, existing);
  return true;
}

function isAsRequested(existing: Permission, role: string, { expires, ...request }: ShareRequest): boolean {
  const { allowFileDiscovery = false, expirationTime = '' } = existing;
  const hasDiscovery = request.grantee.type !== 'domain' || allowFileDiscovery === request.discoverable;
  const hasExpiration = !expires || Date.parse(expirationTime) === expires.getTime();
  return role === request.role && hasDiscovery && hasExpiration;
}

async function updateExisting(
  shared: SharedFile,
  request: ShareRequest,
  existing: Permission,
): Promise<void> {
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

export interface SharedFile {
  drive: DriveContext;
  file: DriveFile;
  call: CallOptions;
}

/** From the least access to the most. */
const RANKS = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner'];

function rank(role: string): number {
  return RANKS.indexOf(role);
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
  const from = (await inheritedFrom(shared, permission)) ?? '…';
  return new DriveError('conflict', { text, params: { who: emailAddress ?? domain ?? type, role, from } });
}

/** @returns the name of the folder or shared drive; undefined if it is unknown */
async function inheritedFrom(
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

/** A group may be given as a user, and the other way round. */
export function isFor(permission: Permission, { type, name }: Grantee): boolean {
  if (type === 'anyone') return permission.type === 'anyone';
  const granted = type === 'domain' ? permission.domain : permission.emailAddress;
  return granted?.toLowerCase() === name.toLowerCase();
}

/** @returns the permission to create, without its expiration */
function toPermission({ grantee, role, discoverable }: ShareRequest): NewPermission {
  const { type, name } = grantee;
  if (type === 'anyone') return { type, role, allowFileDiscovery: discoverable };
  if (type === 'domain') return { type, role, domain: name, allowFileDiscovery: discoverable };
  return { type, role, emailAddress: name };
}
