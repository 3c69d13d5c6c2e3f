/**
 * Uploads that Google Drive converts to Docs, Sheets and Slides.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#import-docs
 */
import { DriveError } from '../errors';
import { getAbout } from '../api/about';
import type { DriveContext } from '../api/drive-context';
import { isObject } from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';
import { convertedType } from './document-type';
import { mimeTypeOf } from './file-metadata';
import type { UploadRequest } from './upload-request';

/** Document types by the MIME type of a file, requested once for each service. */
const importFormats = new WeakMap<Service, Promise<Record<string, unknown>>>();

/** @throws `invalid_input` for a conversion that the service doesn't offer, before anything is sent */
export async function checkConversion(
  drive: DriveContext,
  request: UploadRequest,
  call: CallOptions,
): Promise<void> {
  const { convertTo } = request;
  if (convertTo === undefined) return;
  const from = mimeTypeOf(request).replace(/;.*/s, '').trim().toLowerCase();
  const targets = (await formatsOf(drive, call))[from];
  if (Array.isArray(targets) && targets.includes(convertedType(convertTo))) return;
  throw new DriveError('invalid_input', {
    text: 'invalid_input_conversion',
    params: { from, to: convertTo },
  });
}

function formatsOf(drive: DriveContext, call: CallOptions): Promise<Record<string, unknown>> {
  const { service } = drive;
  const known = importFormats.get(service);
  if (known) return known;
  const requested = getAbout(drive, 'importFormats', call).then((about) => {
    const formats = about['importFormats'];
    return isObject(formats) ? formats : {};
  });
  importFormats.set(service, requested);
  requested.catch(() => importFormats.delete(service));
  return requested;
}

/** @throws `conflict` if the file to be replaced isn't such a document: new content can't change what it is */
export function checkReplaceable({ convertTo }: UploadRequest, file: DriveFile): void {
  if (convertTo === undefined || file.mimeType === convertedType(convertTo)) return;
  const params = { name: file.name ?? file.id, ids: file.id };
  throw new DriveError('conflict', { text: 'conflict_other_type', params });
}
