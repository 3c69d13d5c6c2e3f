/**
 * The account: user and storage quota.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
import { isDriveError } from '../errors';
import type { JsonObject } from '../http/json';
import { badAnswer, isObject } from '../http/json';
import type { DriveRequest } from '../http/engine';
import { addressName, misconfiguredUrl } from '../http/misconfigured-url';
import type { CallOptions } from '../types';
import type { DriveContext } from './drive-context';

/**
 * @param fields comma list of members; the service answers 400 without
 * @returns the answer; sizes are the service's decimal strings
 */
export async function getAbout(drive: DriveContext, fields: string, call: CallOptions): Promise<JsonObject> {
  const url = `${drive.service.baseUrl}/drive/v3/about`;
  const answer = await asked(drive, { method: 'GET', url, query: { fields } }, call);
  for (const name of ['user', 'storageQuota']) {
    if (answer[name] !== undefined && !isObject(answer[name]))
      throw badAnswer('bad_response_type', { member: name });
  }
  return answer;
}

/** No file is asked for that could be missing: where nothing is found, the address is wrong. */
async function asked(
  { engine, service }: DriveContext,
  request: DriveRequest,
  call: CallOptions,
): Promise<JsonObject> {
  try {
    return await engine.json(request, call);
  } catch (error) {
    if (!isDriveError(error, 'not_found')) throw error;
    throw misconfiguredUrl(addressName(service, request.url), error.status ?? 404);
  }
}
