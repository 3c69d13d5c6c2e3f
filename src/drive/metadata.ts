/**
 * Reads and changes the metadata of a file.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import type { CallOptions, DriveFile } from '../types';
import {
  type DriveContext,
  fileUrl,
  ifSupported,
  sharedDriveParams,
  isUnsupported,
  patchRequest,
} from './drive-context';
import { validateFile, withFields, withOptionalFields, projectFields, splitFields } from './fields';
import { DriveError } from '../errors';
import type { DriveRequest } from '../http/engine';
import type { JsonObject } from '../core/validator';

/** @returns the file with the requested fields and its id. @throws `not_found` */
export async function getMetadata(
  drive: DriveContext,
  id: string,
  fields: string,
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const response = await withOptionalFields(drive, withFields(fields, ['id']), (known) => {
    const query = { fields: known, ...sharedDriveParams(service) };
    return engine.requestJson({ method: 'GET', url: fileUrl(service, id), query }, call);
  });
  return validateFile(response);
}

/** @returns undefined if a custom service has no metadata request, which it may lack: docs/signing-in.md */
export function getMetadataIfSupported(
  drive: DriveContext,
  id: string,
  fields: string,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  return ifSupported(drive.service, 'metadata', getMetadata(drive, id, fields, call));
}

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

/** False after a custom service has refused to, so that a dry run doesn't expect it. */
export function canSetModifiedTime({ refused }: DriveContext): boolean {
  return !refused.has('modifiedTime');
}

interface TouchRequest {
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
