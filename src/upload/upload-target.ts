/** The file on the drive that an upload creates or updates, and the URL of that request. */
import { type DriveContext, sharedDriveParams } from '../api/drive-context';
import type { JsonObject } from '../http/json';
import { type QueryValues, pathSegment } from '../http/url';

export interface UploadTarget {
  /** POST creates a file, PATCH updates the file `id`. */
  method: 'POST' | 'PATCH';
  /** File id; undefined if the service is to choose it. */
  id: string | undefined;
  /** The JSON metadata that is sent with the content. */
  metadata: JsonObject;
  mimeType: string;
  /** `fields` of the response. */
  fields: string;
}

/** A repeated create without an id may create a second file. */
export function isIdempotent({ method, id }: UploadTarget): boolean {
  return method === 'PATCH' || id !== undefined;
}

export function uploadUrl({ service }: DriveContext, { method, id }: UploadTarget): string {
  const files = `${service.uploadUrl}/upload/drive/v3/files`;
  return method === 'PATCH' && id !== undefined ? `${files}/${pathSegment(id)}` : files;
}

/** A custom service has to support `uploadType` only, so it gets no other parameter: docs/signing-in.md. */
export function uploadQuery(
  { service }: DriveContext,
  uploadType: 'multipart' | 'resumable',
  fields: string,
): QueryValues {
  return service.kind === 'custom' ? { uploadType } : { uploadType, fields, ...sharedDriveParams(service) };
}
