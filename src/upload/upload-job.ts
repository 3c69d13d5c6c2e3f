/** Where an upload goes: a create or an update, and what both kinds of upload need to send it. */
import { type DriveContext, sharedDriveParams } from '../api/drive-context';
import type { QueryValues } from '../http/url';
import type { JsonObject } from '../http/json';
import type { CallOptions } from '../types';
import type { HashingBody } from './hashing-body';

export interface Destination {
  /** PATCH: new content for the file `id`. */
  method: 'POST' | 'PATCH';
  /** Of the file; undefined where the service is to choose it. */
  id: string | undefined;
  /** What is sent as the file's metadata. */
  resource: JsonObject;
  mimeType: string;
  /** Fields of the answer. */
  fields: string;
}

/** All that one upload consists of. */
export interface UploadJob {
  drive: DriveContext;
  destination: Destination;
  content: HashingBody;
  call: CallOptions;
}

/** A create without an id of our own may be there twice if it is repeated. */
export function isRepeatable({ method, id }: Destination): boolean {
  return method === 'PATCH' || id !== undefined;
}

export function uploadAddress({ service }: DriveContext, { method, id }: Destination): string {
  const files = `${service.uploadUrl}/upload/drive/v3/files`;
  return method === 'PATCH' && id !== undefined ? `${files}/${encodeURIComponent(id)}` : files;
}

/** A custom service need know `uploadType` alone, so it gets nothing else: docs/signing-in.md. */
export function uploadQuery(
  { service }: DriveContext,
  uploadType: 'multipart' | 'resumable',
  fields: string,
): QueryValues {
  return service.kind === 'custom' ? { uploadType } : { uploadType, fields, ...sharedDriveParams(service) };
}
