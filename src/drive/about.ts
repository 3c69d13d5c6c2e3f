/**
 * The signed-in user and the storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
import { isDriveError } from '../errors';
import { type JsonObject, isObject } from '../core/validator';
import { optionalMember } from '../http/json';
import { urlName, misconfiguredUrl } from '../http/misconfigured-url';
import type { CallOptions } from '../types';
import type { DriveContext } from './drive-context';

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
