/**
 * The signed-in user, the storage quota, and the shared drives that the account is a member of. Only Google Drive has
 * these, and listing them requires the scope `drive` or `drive.readonly`.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/drives
 */
import { isDriveError } from '../errors';
import { type JsonObject, isObject, isNonEmptyString, isObjectArray, isString } from '../core/validator';
import { optionalMember, member } from '../http/json';
import { urlName, misconfiguredUrl } from '../http/error-mapping';
import type { CallOptions } from '../types';
import type { DriveContext } from './drive-context';
import { pathSegment } from '../http/url';
import { nameContains } from './query';

/**
 * @param fields comma-separated list of members, which the service requires
 * @returns the requested members; sizes are decimal strings
 * @throws `not_configured` after a 404: this request names no file, so the base URL is wrong
 */
export async function getAbout(
  { engine, service }: DriveContext,
  fields: string,
  call: CallOptions,
): Promise<JsonObject> {
  const url = `${service.baseUrl}/drive/v3/about`;
  const response = await engine
    .requestJson({ method: 'GET', url, query: { fields } }, call)
    .catch((error: unknown) => {
      if (!isDriveError(error, 'not_found')) throw error;
      throw misconfiguredUrl(urlName(service, url), error.status ?? 404);
    });
  for (const name of ['user', 'storageQuota']) optionalMember(response, name, isObject);
  return response;
}

/** Its id is also the id of its root folder. */
export interface SharedDrive {
  id: string;
  name: string;
}

export interface SharedDrivePage {
  drives: SharedDrive[];
  /** Undefined for the last page. */
  nextPageToken?: string;
}

export interface SharedDriveRequest {
  /** A part of the name; `''` for all. */
  text: string;
  /** From the previous page; undefined for the first page. */
  pageToken?: string;
}

const PAGE_SIZE = 100;

/** @throws `permission_denied` if the scope doesn't include all drives */
export async function listSharedDrives(
  { engine, service }: DriveContext,
  { text, pageToken }: SharedDriveRequest,
  call: CallOptions,
): Promise<SharedDrivePage> {
  const query = {
    q: text === '' ? undefined : nameContains(text),
    pageSize: PAGE_SIZE,
    pageToken,
    fields: 'nextPageToken,drives(id,name)',
  };
  const url = `${service.baseUrl}/drive/v3/drives`;
  const page = await engine.requestJson({ method: 'GET', url, query }, call);
  const drives = optionalMember(page, 'drives', isObjectArray) ?? [];
  return {
    drives: drives.map((drive) => ({
      id: member(drive, 'id', isNonEmptyString),
      name: member(drive, 'name', isString),
    })),
    nextPageToken: optionalMember(page, 'nextPageToken', isNonEmptyString),
  };
}

/** @throws `not_found` if it doesn't exist or the account isn't a member */
export async function getSharedDrive(
  { engine, service }: DriveContext,
  id: string,
  call: CallOptions,
): Promise<SharedDrive> {
  const url = `${service.baseUrl}/drive/v3/drives/${pathSegment(id)}`;
  const drive = await engine.requestJson({ method: 'GET', url, query: { fields: 'name' } }, call);
  return { id, name: member(drive, 'name', isString) };
}
