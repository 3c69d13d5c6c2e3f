/**
 * Uploads that Google Drive converts to Docs, Sheets and Slides.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#import-docs
 */
import { abortable } from '../../core/abortable';
import { DriveError } from '../../errors';
import { getAbout } from '../../drive/about';
import type { DriveContext } from '../../drive/drive-context';
import { type JsonObject, isObject } from '../../core/validator';
import type { CallOptions, DriveFile } from '../../types';
import { type Conversion, type UploadRequest, convertedType } from './upload-request';

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
