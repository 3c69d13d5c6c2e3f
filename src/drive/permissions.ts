/**
 * The permissions of a file.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions
 */
import type { DriveRequest } from '../http/engine';
import { type JsonObject, isNonEmptyString, isObjectArray, isString } from '../core/validator';
import { jsonBody, member, optionalMember } from '../http/json';
import { pathSegment } from '../http/url';
import type { CallOptions } from '../types';
import { deleteResource } from './delete';
import { type DriveContext, fileUrl, sharedDriveParams } from './drive-context';
import { allPages } from './list';

/** A permission resource, as the service returns it. */
export interface Permission {
  id: string;
  type: string;
  role: string;
  emailAddress?: string;
  domain?: string;
  allowFileDiscovery?: boolean;
  expirationTime?: string;
  /** Where the role comes from; may be missing. */
  permissionDetails?: PermissionDetail[];
  [field: string]: unknown;
}

interface PermissionDetail {
  role?: string;
  inherited?: boolean;
  /** The folder or shared drive, for items in shared drives. */
  inheritedFrom?: string;
}

export interface NewPermission {
  type: 'anyone' | 'user' | 'group' | 'domain';
  role: string;
  emailAddress?: string;
  domain?: string;
  allowFileDiscovery?: boolean;
  expirationTime?: string;
}

export interface Notification {
  notify: boolean;
  /** `''` for none. */
  message: string;
}

/** @returns the permissions of all pages. @throws `permission_denied` if the user can't share the file */
export async function listPermissions(
  { engine, service }: DriveContext,
  fileId: string,
  call: CallOptions,
): Promise<Permission[]> {
  const url = permissionsUrl({ service }, fileId);
  const request = async (pageToken: string | undefined) => {
    const fields = 'nextPageToken,permissions';
    const query = { fields, pageSize: 100, pageToken, ...sharedDriveParams(service) };
    const page = await engine.requestJson({ method: 'GET', url, query }, call);
    const permissions = member(page, 'permissions', isObjectArray).map(validatePermission);
    return { permissions, nextPageToken: optionalMember(page, 'nextPageToken', isNonEmptyString) };
  };
  // By id: pages may overlap.
  const all = new Map<string, Permission>();
  for await (const { permissions } of allPages(request, (page) => page.permissions))
    for (const permission of permissions) all.set(permission.id, permission);
  return [...all.values()];
}

/** Not repeated. Without `notify`, nobody gets an e-mail. */
export async function createPermission(
  { engine, service }: DriveContext,
  { fileId, permission, notify, message }: { fileId: string; permission: NewPermission } & Notification,
  call: CallOptions,
): Promise<Permission> {
  const isPerson = permission.type === 'user' || permission.type === 'group';
  const request: DriveRequest = {
    method: 'POST',
    url: permissionsUrl({ service }, fileId),
    ...jsonBody(permission),
    query: {
      fields: '*',
      // Not allowed for links and domains.
      sendNotificationEmail: isPerson ? notify : undefined,
      emailMessage: isPerson && notify && message !== '' ? message : undefined,
      ...sharedDriveParams(service),
    },
    freshConnection: true,
  };
  return validatePermission(
    await engine.requestJsonWithoutRetry(request, { ...call, showsServiceMessage: true }),
  );
}

/** A permission of a file, to be changed. */
interface PermissionOfFile {
  fileId: string;
  permissionId: string;
}

export async function updatePermission(
  { engine, service }: DriveContext,
  {
    fileId,
    permissionId,
    changes,
  }: PermissionOfFile & { changes: Partial<NewPermission> & { role: string } },
  call: CallOptions,
): Promise<void> {
  const url = `${permissionsUrl({ service }, fileId)}/${pathSegment(permissionId)}`;
  const query = { fields: 'id', ...sharedDriveParams(service) };
  const options = { ...call, showsServiceMessage: true };
  await engine.requestJson({ method: 'PATCH', url, query, ...jsonBody(changes) }, options);
}

/** A permission that doesn't exist counts as deleted. */
export async function deletePermission(
  drive: DriveContext,
  { fileId, permissionId }: PermissionOfFile,
  call: CallOptions,
): Promise<void> {
  const url = `${permissionsUrl(drive, fileId)}/${pathSegment(permissionId)}`;
  const request: DriveRequest = { method: 'DELETE', url, query: sharedDriveParams(drive.service) };
  await deleteResource(drive, { request }, call);
}

function permissionsUrl({ service }: Pick<DriveContext, 'service'>, fileId: string): string {
  return `${fileUrl(service, fileId)}/permissions`;
}

function validatePermission(permission: JsonObject): Permission {
  for (const name of ['id', 'type', 'role']) member(permission, name, isNonEmptyString);
  for (const name of ['emailAddress', 'domain', 'expirationTime']) optionalMember(permission, name, isString);
  optionalMember(permission, 'permissionDetails', isObjectArray);
  return permission as unknown as Permission;
}
