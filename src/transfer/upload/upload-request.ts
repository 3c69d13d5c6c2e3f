/**
 * What to upload, and how: the metadata that is sent with the content, and conversions to Docs, Sheets and Slides.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#import-docs
 */
import { CHECKSUM_FIELDS } from '../../drive/checksums';
import { withFields } from '../../drive/fields';
import type { ConflictPolicy } from '../../drive/conflict-policy';
import type { OnProgress, CallOptions, DriveFile } from '../../types';
import type { Content } from './source';
import { extname } from 'node:path';
import { DriveError } from '../../errors';
import { mimeTypeByName } from '../../drive/mime-types';
import { type JsonObject, isObject } from '../../core/validator';
import { abortable } from '../../core/abort';
import { getAbout } from '../../drive/about';
import type { DriveContext } from '../../drive/drive-context';

/** The Google documents that an upload can be converted to. */
export const CONVERSIONS = ['document', 'spreadsheet', 'presentation'] as const;
type Conversion = (typeof CONVERSIONS)[number];

/** The MIME type of the document that a conversion creates. */
function convertedType(conversion: Conversion): string {
  return `application/vnd.google-apps.${conversion}`;
}

export interface UploadRequest {
  content: Content;
  /** Name on the drive. */
  name: string;
  /** Folder id; `''` sends no parent, which means the root. */
  folderId: string;
  /** `''`: derived from the name. */
  mimeType: string;
  /** Converts the content to a Google document; undefined stores it as it is. */
  convertTo?: Conversion | undefined;
  /** For content from disk: send the file's modification time as `modifiedTime`. */
  keepModifiedTime: boolean;
  /** More file properties such as `description` or `appProperties`; `id`, `name` and `parents` are ignored. */
  metadata: Record<string, unknown>;
  ifExists: ConflictPolicy;
  /** The id of the file to replace, if it is known: then no file is looked up by its name. */
  replaces?: string | undefined;
  /** Fields of `file` in the result, which always includes `id`. */
  fields: string;
  onProgress?: OnProgress;
}

/** The requested fields and those that verify the upload. */
export function responseFields({ fields }: UploadRequest): string {
  return withFields(fields, ['id', ...CHECKSUM_FIELDS]);
}

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

/** @throws `invalid_input` for a conversion that the service doesn't offer, before anything is sent */
export async function checkConversion(
  drive: DriveContext,
  { from: mimeType, to }: { from: string; to: Conversion | undefined },
  call: CallOptions,
): Promise<void> {
  if (to === undefined) return;
  const from = mimeType.replace(/;.*/s, '').trim().toLowerCase();
  const targets = (await formatsOf(drive, call))[from];
  if (Array.isArray(targets) && targets.includes(convertedType(to))) return;
  throw new DriveError('invalid_input', {
    text: 'invalid_input_conversion',
    params: { from, to },
  });
}

function formatsOf(drive: DriveContext, { signal }: CallOptions): Promise<JsonObject> {
  drive.importFormats ??= requestFormats(drive);
  return abortable(drive.importFormats, signal);
}

/** Without the signal of a caller, since others may wait for the same request. */
async function requestFormats(drive: DriveContext): Promise<JsonObject> {
  try {
    const { importFormats: formats } = await getAbout(drive, 'importFormats', {});
    return isObject(formats) ? formats : {};
  } catch (error) {
    drive.importFormats = undefined;
    throw error;
  }
}

/** @throws `conflict` if the file to be replaced isn't such a document: new content can't change what it is */
export function checkReplaceable({ convertTo }: UploadRequest, file: DriveFile): void {
  if (convertTo === undefined || file.mimeType === convertedType(convertTo)) return;
  const params = { name: file.name ?? file.id, ids: file.id };
  throw new DriveError('conflict', { text: 'conflict_other_type', params });
}
