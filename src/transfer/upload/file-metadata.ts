/**
 * The metadata that is sent with the content.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { extname } from 'node:path';
import { DriveError } from '../../errors';
import { mimeTypeByName } from '../../drive/mime-types';
import type { JsonObject } from '../../core/validator';
import { type UploadRequest, convertedType } from './upload-request';

/** RFC 9110 8.3.1. The value becomes part of a header, so it must not contain line breaks. */
const MIME_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w!#$&^.+-]+=("[\x20\x21\x23-\x5b\x5d-\x7e]*"|[\w!#$&^.+-]+))*$/;

/**
 * @returns the requested MIME type; else the one for the name; else `text/plain` for a string and
 * `application/octet-stream` for bytes
 * @throws `invalid_input`
 */
export function mimeTypeOf({ mimeType, name, content }: UploadRequest): string {
  if (mimeType !== '') {
    if (MIME_TYPE.test(mimeType)) return mimeType;
    const params = { mimeType: mimeType.replace(/\p{Cc}+/gu, ' ') };
    throw new DriveError('invalid_input', { text: 'invalid_input_mime_type', params });
  }
  // Without the dot of an extension, the name itself could be taken for one.
  const fromName = mimeTypeByName(extname(name));
  if (fromName !== undefined) return fromName;
  const isText = 'data' in content && typeof content.data === 'string';
  return isText ? 'text/plain' : 'application/octet-stream';
}

/** File properties that an upload sets on a new file and on a replaced one. */
export function fileMetadata(
  request: UploadRequest,
  mimeType: string,
  modifiedTime: Date | undefined,
): JsonObject {
  const { id: _id, name: _name, parents: _parents, ...metadata } = request.metadata;
  return {
    modifiedTime: request.keepModifiedTime ? modifiedTime?.toISOString() : undefined,
    ...metadata,
    mimeType: request.convertTo ? convertedType(request.convertTo) : mimeType,
  };
}
