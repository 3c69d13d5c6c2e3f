/** The metadata that goes up with a content. */
import { DriveError } from '../errors';
import { mimeTypeByName } from '../api/mime-types';
import type { JsonObject } from '../http/json';
import type { Content } from './source';

export interface NewContent {
  content: Content;
  /** Name on the drive. */
  name: string;
  /** Folder id; `''`: none is sent, which is the root. */
  folderId: string;
  /** `''`: from the name. */
  mimeType: string;
  /** With content from disk: its modification time becomes the file's `modifiedTime`. */
  keepModifiedTime: boolean;
  /** More members of the file: `description`, `appProperties`, … but for its name, place, id and media type. */
  metadata: Record<string, unknown>;
}

/** RFC 9110 8.3.1. It goes into a header and into a part's head, so nothing else may pass. */
const MEDIA_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w!#$&^.+-]+=("[\x20\x21\x23-\x5b\x5d-\x7e]*"|[\w!#$&^.+-]+))*$/;

/**
 * @returns the given media type; else the name's; else `text/plain` for a string and
 * `application/octet-stream` for bytes
 * @throws `invalid_input`
 */
export function mediaType({ mimeType, name, content }: NewContent): string {
  if (mimeType !== '') {
    if (MEDIA_TYPE.test(mimeType)) return mimeType;
    throw new DriveError('invalid_input', { text: 'invalid_input_mime_type' });
  }
  const known = mimeTypeByName(name);
  if (known !== undefined) return known;
  const isText = 'data' in content && typeof content.data === 'string';
  return isText ? 'text/plain' : 'application/octet-stream';
}

/** Members of the file that an upload sets, whether it is a new one or new content of one. */
export function resource(upload: NewContent, modifiedTime: Date | undefined): JsonObject {
  const { id: _id, name: _name, parents: _parents, ...more } = upload.metadata;
  return {
    ...(upload.keepModifiedTime && modifiedTime ? { modifiedTime: modifiedTime.toISOString() } : {}),
    ...more,
    mimeType: mediaType(upload),
  };
}
