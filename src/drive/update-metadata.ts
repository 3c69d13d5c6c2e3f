/**
 * Changes the metadata of a file.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import { DriveError } from '../errors';
import type { DriveRequest } from '../http/engine';
import type { JsonObject } from '../core/validator';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, fileUrl, isUnsupported, patchRequest, sharedDriveParams } from './drive-context';
import { projectFields, splitFields, validateFile, withFields } from './fields';

export interface MetadataUpdate {
  id: string;
  /** Null clears a value. Without members, the file isn't changed. */
  changes: JsonObject;
  /** The changed members are returned too. */
  fields: string;
}

/**
 * @returns the requested fields of the file, after the changes
 * @throws `not_found`, `permission_denied`, `bad_response` if a custom service has no metadata requests
 */
export async function updateMetadata(
  drive: DriveContext,
  { id, changes, fields: requested }: MetadataUpdate,
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  // What was changed is part of the result, unless only a part of it is requested: `properties(color)`.
  const names = splitFields(requested).map((field) => field.split(/[(/]/)[0]);
  const changed = Object.keys(changes).filter((name) => !names.includes(name));
  const fields = withFields(requested, changed);
  const isChange = Object.keys(changes).length > 0;
  const sent: DriveRequest = isChange
    ? patchRequest(service, id, changes, fields)
    : { method: 'GET', url: fileUrl(service, id), query: { fields, ...sharedDriveParams(service) } };
  try {
    return projectFields(
      validateFile(await engine.requestJson(sent, { ...call, showsServiceMessage: true }), []),
      fields,
    );
  } catch (error) {
    if (!isUnsupported(service, 'metadata', error)) throw error;
    // Either the file or the request doesn't exist. A service that can read metadata knows.
    if (isChange && error.code === 'not_found')
      await updateMetadata(drive, { id, changes: {}, fields: requested }, call);
    else if (error.reason !== undefined) throw error;
    const { params, status } = error;
    throw new DriveError('bad_response', { text: 'bad_response_no_metadata', params, status });
  }
}
