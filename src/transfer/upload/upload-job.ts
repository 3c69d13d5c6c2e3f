/** The values that all steps of one upload, and of each attempt to send its content, share. */
import { type DriveContext, parentsFor, sharedDriveParams } from '../../drive/drive-context';
import type { IdPool } from '../../drive/idempotent-create';
import type { BudgetedCall } from '../../http/retry';
import type { DriveFile, CallOptions } from '../../types';
import type { SessionLease } from './session-registry';
import type { Source } from './source';
import type { HashingBody, UploadBody } from './hashing-body';
import { type UploadRequest, fileMetadata, mimeTypeOf, responseFields } from './upload-request';
import { type ChecksumAlgorithm, checksumAlgorithm } from '../../drive/checksums';
import type { ConflictResolution } from '../../drive/conflict-policy';
import type { JsonObject } from '../../core/validator';
import { type QueryValues, pathSegment } from '../../http/url';

export type UploadType = 'multipart' | 'resumable';

export interface UploadJob {
  drive: DriveContext;
  idPool: IdPool;
  checksums: ServiceChecksums;
  request: UploadRequest;
  source: Source;
  uploadType: UploadType;
  /** Undefined if a later run can't resume this upload: small files and data from memory. */
  lease: SessionLease | undefined;
  /** All requests of the upload share one retry budget, which restarts whenever more bytes are sent or stored. */
  call: BudgetedCall;
}

/** What an earlier run has stored: the complete file, or the first `stored` bytes of it. */
export type ResumeState = { file: DriveFile } | { sessionUrl: string; stored: number };

/** One attempt to send the whole content. A checksum mismatch causes a second one. */
export interface UploadAttempt extends UploadJob {
  target: UploadTarget;
  body: HashingBody;
  /** Undefined to start a new upload. */
  resumeState: ResumeState | undefined;
}

/** What sending content in a session needs of an attempt. */
export interface SessionAttempt extends Pick<
  UploadAttempt,
  'drive' | 'target' | 'lease' | 'resumeState' | 'call'
> {
  body: UploadBody;
}

/**
 * The checksums that the service returns, learned from its responses. Hashing limits the speed of a transfer, so only
 * the algorithm that will be compared is computed; both until a response has shown which.
 */
export class ServiceChecksums {
  private known: readonly ChecksumAlgorithm[] = ['sha256', 'md5'];

  get algorithms(): readonly ChecksumAlgorithm[] {
    return this.known;
  }

  learn(file: DriveFile): void {
    const algorithm = checksumAlgorithm(file);
    if (algorithm) this.known = [algorithm];
  }
}

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
