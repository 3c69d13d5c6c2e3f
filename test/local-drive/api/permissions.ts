/** Sharing. https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions */
import type { Request, Response, Router } from 'express';
import { ApiError, badRequest, invalidValue } from '../http/api-error';
import { readJsonBody } from '../http/request-body';
import { booleanParameter, integerParameter, queryOf } from '../http/query-parameters';
import { isFolder, SHORTCUT, type FileRecord, type PermissionRecord } from '../storage/file-record';
import { applyRequestedMask, existingFile, requestedMask, type DriveBackend } from './backend';
import { fileIdParameter } from './create-update-delete';
import {
  compareRoles,
  effectivePermissions,
  mayShare,
  permissionResource,
  permissionsOn,
  type EffectivePermission,
} from './effective-permissions';
import { readPermission, type PermissionInput } from './permission-input';
import { PERMISSION, PERMISSION_LIST } from './schemas';
import { granteeId, USER } from './user';

const DEFAULTS = 'kind,id,type,role';

export function permissionRoutes(drive: DriveBackend, router: Router): void {
  const all = '/files/:fileId/permissions';
  const one = `${all}/:permissionId`;
  router.get(all, (request, response) => {
    list(drive, request, response);
  });
  router.post(all, (request, response) => create(drive, request, response));
  router.get(one, (request, response) => {
    const record = sharableFile(drive, request);
    send(request, response, existingPermission(drive, record, request));
  });
  router.patch(one, (request, response) => update(drive, request, response));
  router.delete(one, (request, response) => remove(drive, request, response));
}

/** permissions.list: for files in shared drives at most 100 on a page. */
function list(drive: DriveBackend, request: Request, response: Response): void {
  const record = sharableFile(drive, request);
  const query = queryOf(request);
  const permissions = effectivePermissions(drive, record).map(permissionResource);
  const fallback = drive.store.driveIdOf(record) === undefined ? permissions.length : 100;
  const size = integerParameter(query, 'pageSize', { min: 1, max: 100, fallback });
  const token = query.get('pageToken') ?? '0';
  if (!/^\d{1,9}$/.test(token)) throw invalidValue('pageToken');
  const end = Number(token) + size;
  const resource = {
    kind: 'drive#permissionList',
    ...(permissions.length > end && { nextPageToken: String(end) }),
    permissions: permissions.slice(Number(token), end),
  };
  const mask = requestedMask(request, PERMISSION_LIST, `kind,nextPageToken,permissions(${DEFAULTS})`);
  response.json(applyRequestedMask(resource, mask));
}

/** permissions.create: a grantee who already has access keeps the higher role. */
async function create(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = sharableFile(drive, request);
  const query = queryOf(request);
  const input = readPermission(await readJsonBody(request), drive);
  const { type, role, emailAddress, domain, expirationTime } = input;
  if (!type || !role) throw badRequest(`The permission ${type ? 'role' : 'type'} field is required.`);
  checkRoleFits(drive, record, { ...input, type });
  checkNotification(drive, query, { type, emailAddress });
  if (expirationTime !== undefined && !drive.sharing.expirationOnInsert) {
    const message = 'Expiration dates cannot be set when a permission is created.';
    throw new ApiError(403, 'cannotSetExpirationOnInsert', message);
  }
  const id = type === 'anyone' ? anyoneId(input) : granteeId(emailAddress ?? domain ?? '');
  const before = effectivePermissions(drive, record).find((each) => each.id === id);
  if (!before || compareRoles(before.role, role) < 0)
    await savePermission(drive, record, { ...input, id, type, role });
  notify(drive, query, { fileId: record.id, to: emailAddress });
  send(request, response, findPermission(drive, record, id));
}

/** permissions.update: role, expiration time and discovery of a permission directly on the item. */
async function update(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = sharableFile(drive, request);
  const body = await readJsonBody(request);
  const permission = existingPermission(drive, record, request);
  const { role, ...input } = readPermission(body, drive);
  for (const name of ['type', 'emailAddress', 'domain', 'id']) if (name in body) throw fieldNotWritable();
  const direct = directPermission(drive, record, permission);
  checkRoleFits(drive, record, { type: direct.type, ...input, role });
  const changed: PermissionRecord = { ...direct, ...input, role: role ?? direct.role };
  if (booleanParameter(queryOf(request), 'removeExpiration')) delete changed.expirationTime;
  await savePermission(drive, record, changed);
  send(request, response, findPermission(drive, record, direct.id));
}

/** permissions.delete: 204 without a body. */
async function remove(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = sharableFile(drive, request);
  const { id } = directPermission(drive, record, existingPermission(drive, record, request));
  const permissions = (record.permissions ?? []).filter((each) => each.id !== id);
  await drive.store.update(record, { permissions });
  response.status(204).end();
}

/** The file whose permissions the user can see and change. */
function sharableFile(drive: DriveBackend, request: Request): FileRecord {
  const record = existingFile(drive, fileIdParameter(request));
  if (record.mimeType === SHORTCUT)
    throw new ApiError(403, 'cannotShareShortcut', 'Shortcuts cannot be shared. Share the target instead.');
  if (mayShare(drive.store, record)) return record;
  const message = 'The user does not have sufficient permissions for this file.';
  throw new ApiError(403, 'insufficientFilePermissions', message);
}

function existingPermission(drive: DriveBackend, record: FileRecord, request: Request): EffectivePermission {
  return findPermission(drive, record, String(request.params.permissionId));
}

function findPermission(drive: DriveBackend, record: FileRecord, id: string): EffectivePermission {
  const found = effectivePermissions(drive, record).find((each) => each.id === id);
  if (found) return found;
  const location = { location: 'permissionId', locationType: 'parameter' as const };
  throw new ApiError(404, 'notFound', `Permission not found: ${id}.`, location);
}

/** The permission on the item itself; 403 for the owner's and inherited ones. */
function directPermission(
  { store }: DriveBackend,
  record: FileRecord,
  { id, role }: EffectivePermission,
): PermissionRecord {
  const direct = permissionsOn(record).find((each) => each.id === id);
  if (direct && role !== 'owner') return direct;
  const isOwner = role === 'owner';
  const place = store.driveIdOf(record) === undefined ? '' : 'TeamDrive';
  throw new ApiError(
    403,
    isOwner ? 'insufficientFilePermissions' : `cannotModifyInherited${place}Permission`,
    isOwner
      ? 'The user does not have sufficient permissions for this file.'
      : 'Cannot update or delete an inherited permission on a shared item.',
  );
}

async function savePermission(
  { store }: DriveBackend,
  record: FileRecord,
  permission: PermissionRecord,
): Promise<void> {
  if (permission.id === USER.permissionId && record.sharedDrive !== undefined) {
    await store.update(record, { sharedDrive: permission.role });
    return;
  }
  const others = (record.permissions ?? []).filter(({ id }) => id !== permission.id);
  await store.update(record, { permissions: [...others, permission] });
}

/** 403 for roles that the item or the grantee can't have. */
function checkRoleFits({ store }: DriveBackend, record: FileRecord, input: PermissionInput): void {
  const { type, role, expirationTime } = input;
  const refuse = (reason: string, message: string): never => {
    throw new ApiError(403, reason, message);
  };
  const driveId = store.driveIdOf(record);
  if (driveId === undefined && (role === 'organizer' || role === 'fileOrganizer'))
    refuse(`${role}OnNonTeamDriveNotSupported`, 'This role is only valid for items in shared drives.');
  if (role === 'organizer' && record.sharedDrive === undefined)
    refuse('organizerOnNonTeamDriveItemNotSupported', 'Only shared drives have organizers.');
  if (role === 'fileOrganizer' && !isFolder(record))
    refuse('fileOrganizerOnFoldersInSharedDriveOnly', 'This role is only valid for folders.');
  const isPublic = type === 'anyone' || type === 'domain';
  if (isPublic && record.sharedDrive !== undefined)
    refuse('cannotShareTeamDriveTopFolderWithAnyoneOrDomains', 'Only users and groups can be members.');
  if (isPublic && role === 'fileOrganizer')
    refuse('forbidden', 'This role is only valid for users and groups.');
  if (expirationTime === undefined) return;
  if (isPublic)
    refuse('cannotSetExpirationOnAnyoneOrDomain', 'Expiration dates are only valid for users and groups.');
  if (record.sharedDrive !== undefined)
    refuse(
      'expirationDateNotAllowedForSharedDriveMembers',
      'Members of shared drives have no expiration date.',
    );
}

/** 400 for a silent permission of an address without an account, and for a notification of a link. */
function checkNotification(
  { sharing }: DriveBackend,
  query: URLSearchParams,
  { type, emailAddress }: { type: string; emailAddress?: string },
): void {
  const isPerson = type === 'user' || type === 'group';
  const isRequested = booleanParameter(query, 'sendNotificationEmail', isPerson);
  if (isRequested && !isPerson) throw invalidValue('sendNotificationEmail');
  if (isRequested || !sharing.addressesWithoutAccount.includes(emailAddress ?? '')) return;
  const message =
    `You are trying to invite ${emailAddress ?? ''}. Since there is no Google account associated with this email ` +
    'address, you must check the "Notify people" box to invite this recipient.';
  throw new ApiError(400, 'invalidSharingRequest', `Bad Request. User message: "${message}"`);
}

function notify(
  drive: DriveBackend,
  query: URLSearchParams,
  { fileId, to }: { fileId: string; to?: string },
): void {
  if (to === undefined || !booleanParameter(query, 'sendNotificationEmail', true)) return;
  drive.sentEmails.push({ to, fileId, message: query.get('emailMessage') ?? undefined });
}

/** A link has the same id on all files. */
function anyoneId({ allowFileDiscovery }: PermissionInput): string {
  return allowFileDiscovery ? 'anyone' : 'anyoneWithLink';
}

function send(request: Request, response: Response, permission: EffectivePermission): void {
  response.json(
    applyRequestedMask(permissionResource(permission), requestedMask(request, PERMISSION, DEFAULTS)),
  );
}

function fieldNotWritable(): ApiError {
  const message = 'The resource body includes fields which are not directly writable.';
  return new ApiError(403, 'fieldNotWritable', message);
}
