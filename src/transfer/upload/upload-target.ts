/** The file on the drive that an upload creates or updates, and the URL of that request. */
import { type DriveContext, parentsFor, sharedDriveParams } from '../../drive/drive-context';
import type { IdPool } from '../../drive/idempotent-create';
import type { ConflictResolution } from '../../drive/conflict-policy';
import type { JsonObject } from '../../core/validator';
import { type QueryValues, pathSegment } from '../../http/url';
import type { CallOptions } from '../../types';
import type { UploadType } from './multipart';
import { fileMetadata, mimeTypeOf, type UploadRequest, responseFields } from './upload-request';
import type { Source } from './source';

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

/** The part of an upload job that determines its target. */
interface TargetOptions {
  drive: DriveContext;
  idPool: IdPool;
  request: UploadRequest;
  source: Pick<Source, 'modifiedTime'>;
  call: CallOptions;
}

/**
 * A new file gets the id that an earlier run has chosen, or one from the pool.
 * @param resolution creates the file, or replaces one
 */
export async function uploadTarget(
  { drive, idPool, request, source, call }: TargetOptions,
  resolution: Exclude<ConflictResolution, { action: 'skip' }>,
  savedId: string | undefined,
): Promise<UploadTarget> {
  const mimeType = mimeTypeOf(request);
  const fields = responseFields(request);
  const metadata = fileMetadata(request, mimeType, source.modifiedTime);
  if (resolution.action === 'replace') {
    return { method: 'PATCH', id: resolution.file.id, metadata, mimeType, fields };
  }
  // The service accepts no generated ids for documents.
  const id = savedId ?? (request.convertTo ? undefined : await idPool.next(call));
  const parents = parentsFor(drive.service, request.folderId);
  return {
    method: 'POST',
    id,
    metadata: Object.assign({}, metadata, { id, name: resolution.name }, parents),
    mimeType,
    fields,
  };
}

/** A repeated create without an id may create a second file. */
export function isIdempotent({ method, id }: UploadTarget): boolean {
  return method === 'PATCH' || id !== undefined;
}

export function uploadUrl({ service }: DriveContext, { method, id }: UploadTarget): string {
  const files = `${service.uploadUrl}/upload/drive/v3/files`;
  return method === 'PATCH' && id !== undefined ? `${files}/${pathSegment(id)}` : files;
}

export function uploadQuery({ service }: DriveContext, uploadType: UploadType, fields: string): QueryValues {
  return { uploadType, ...(service.can.uploadFields && { fields }), ...sharedDriveParams(service) };
}
