/**
 * Sets the modified time of a file without sending its content.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, isUnsupported, patchRequest } from './drive-context';

/** False after a custom service has refused to, so that a dry run doesn't expect it. */
export function canSetModifiedTime({ refused }: DriveContext): boolean {
  return !refused.has('modifiedTime');
}

export interface TouchRequest {
  id: string;
  time: Date;
  /** Of the returned file. */
  fields: string;
}

/**
 * @returns the file, as the service reports it after that; undefined if a custom service can't change metadata
 * @throws `not_found`, `permission_denied`
 */
export async function setModifiedTime(
  { engine, service, refused }: DriveContext,
  { id, time, fields }: TouchRequest,
  call: CallOptions,
): Promise<Partial<DriveFile> | undefined> {
  const request = patchRequest(service, id, { modifiedTime: time.toISOString() }, fields);
  try {
    const file = await engine.requestJson(request, call);
    refused.delete('modifiedTime');
    return file;
  } catch (error) {
    if (!isUnsupported(service, 'metadata', error)) throw error;
    refused.add('modifiedTime');
    return undefined;
  }
}
