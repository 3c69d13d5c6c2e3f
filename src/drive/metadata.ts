/**
 * The metadata of a file.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get
 */
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, fileUrl, ifSupported, sharedDriveParams } from './drive-context';
import { validateFile, withFields } from './fields';
import { withOptionalFields } from './optional-fields';

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
