/**
 * Documents of the service's own editors: they have no content of their own, but most can be exported to other formats.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
 */
import { DriveError } from '../errors';
import { type DriveContext, fileUrl } from '../api/drive-context';
import { extensionOf, mimeTypeByName } from '../api/mime-types';
import { getMetadataIfSupported } from '../api/metadata';
import { type JsonObject, isObject } from '../http/json';
import type { CallOptions, DriveFile } from '../types';
import { exportLink } from './export-link';

/** What is shown to a person is no more than that. */
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;
const NATIVE = /^application\/vnd\.google-apps\./;

export interface Export {
  mimeType: string;
  /** Where it can be had if it is too large to be exported; undefined for nowhere. */
  link: string | undefined;
}

export function isNative(mimeType: string | undefined): boolean {
  return NATIVE.test(mimeType ?? '');
}

/**
 * @param wanted a media type, or the ending of a file's name with or without its dot; `''` for none
 * @returns what to export to
 * @throws `not_downloadable` naming the formats that there are
 */
export async function exportOf(
  drive: DriveContext,
  { file, wanted }: { file: DriveFile; wanted: string },
  call: CallOptions,
): Promise<Export> {
  const links = await exportLinks(drive, file.id, call);
  const types = Object.keys(links);
  const found = types.find((each) => fits(each, wanted));
  if (found !== undefined) return { mimeType: found, link: exportLink(links[found], found) };
  const formats = types.map(short).sort().join(', ');
  throw new DriveError('not_downloadable', {
    text: textFor(formats, wanted),
    params: { name: file.name ?? file.id, formats, wanted },
  });
}

function textFor(formats: string, wanted: string): string {
  if (formats === '') return 'not_downloadable_no_format';
  return wanted === '' ? 'not_downloadable_native' : 'not_downloadable_format';
}

/** The request for an export. It has no length beforehand, no checksum and no ranges. */
export function exportRequest({ service }: DriveContext, id: string, mimeType: string) {
  return { url: `${fileUrl(service, id)}/export`, query: { mimeType } };
}

/** @returns the name with the ending of the format, if it hasn't got it */
export function exportName(name: string, mimeType: string): string {
  const end = extensionOf(plain(mimeType));
  return end === undefined || name.toLowerCase().endsWith(`.${end}`) ? name : `${name}.${end}`;
}

/** By the media types that they lead to. */
async function exportLinks(drive: DriveContext, id: string, call: CallOptions): Promise<JsonObject> {
  const links = (await getMetadataIfSupported(drive, id, 'exportLinks', call))?.['exportLinks'];
  const known = Object.entries(isObject(links) ? links : {}).filter(([type]) => MEDIA_TYPE.test(type));
  return Object.fromEntries(known);
}

function fits(mimeType: string, wanted: string): boolean {
  const end = wanted.toLowerCase().replace(/^\./, '');
  if (end.includes('/')) return end === mimeType;
  return short(mimeType) === end || mimeTypeByName(end) === plain(mimeType);
}

function short(mimeType: string): string {
  return extensionOf(plain(mimeType)) ?? mimeType;
}

/** The service has some types under names of old: `application/x-vnd.oasis.opendocument.spreadsheet`. */
function plain(mimeType: string): string {
  return mimeType.replace('/x-vnd.', '/vnd.');
}
