/**
 * Exports of Google Docs, Sheets and other Workspace documents, which have no content of their own.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
 */
import { DriveError, type TextWith, isDriveError } from '../../errors';
import { getAbout } from '../../drive/about';
import { type DriveContext, fileUrl, ifSupported } from '../../drive/drive-context';
import { extensionOf, mimeTypeByName } from '../../drive/mime-types';
import { getMetadataIfSupported } from '../../drive/metadata';
import { type JsonObject, isObject } from '../../core/validator';
import type { CallOptions, DriveFile } from '../../types';
import type { HttpResponse } from '../../http/client';
import { secureUrl } from '../../http/url';

/** Only MIME types of this form are shown to users. */
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

interface ExportFormat {
  mimeType: string;
  /** URL of an export that is too large for the export request, if there is one. */
  link: string | undefined;
}

/**
 * @param requested a MIME type, or a file extension with or without its dot; `''` for none
 * @returns undefined if a custom service exports nothing: its documents may have content
 * @throws `not_downloadable` with the available formats
 */
export async function chooseExport(
  drive: DriveContext,
  file: DriveFile,
  requested: string,
  call: CallOptions,
): Promise<ExportFormat | undefined> {
  const links = await exportLinks(drive, file.id, call);
  const types = Object.keys(links);
  if (types.length === 0 && !drive.service.can.exports) return undefined;
  const mimeType = types.find((each) => isFormat(each, requested));
  if (mimeType !== undefined) return { mimeType, link: usableExportLink(links[mimeType], mimeType) };
  const formats = types.map(shortName).sort().join(', ');
  throw new DriveError('not_downloadable', {
    text: errorText(formats, requested),
    params: { name: file.name ?? file.id, formats, wanted: requested },
  });
}

function errorText(formats: string, requested: string): TextWith<'name' | 'formats' | 'wanted'> {
  if (formats === '') return 'not_downloadable_no_format';
  return requested === '' ? 'not_downloadable_native' : 'not_downloadable_format';
}

/**
 * For many documents, with one request.
 * @param requested as for {@link chooseExport}
 * @returns whether documents of a MIME type can be exported; undefined if a custom service doesn't say
 * @throws `invalid_input` if no kind of document can be exported
 */
export async function findExportable(
  drive: DriveContext,
  requested: string,
  call: CallOptions,
): Promise<((mimeType: string) => boolean) | undefined> {
  const formats = await exportFormats(drive, call);
  if (!formats) return undefined;
  const typesOf = (mimeType: string): string[] => {
    const types = formats[mimeType];
    return Array.isArray(types) ? types.filter((each) => typeof each === 'string') : [];
  };
  const documents = Object.keys(formats);
  const exportable = new Set(
    documents.filter((mimeType) => typesOf(mimeType).some((each) => isFormat(each, requested))),
  );
  if (exportable.size === 0) checkKnown(documents.flatMap(typesOf), requested);
  return (mimeType) => exportable.has(mimeType);
}

/** Otherwise, all documents would be skipped without an error. */
function checkKnown(types: readonly string[], wanted: string): void {
  const names = new Set(types.filter((type) => MIME_TYPE.test(type)).map(shortName));
  if (names.size === 0) return;
  const params = { wanted, formats: [...names].sort().join(', ') };
  throw new DriveError('invalid_input', { text: 'invalid_input_export_format', params });
}

/** @returns formats by the MIME type of a document */
async function exportFormats(drive: DriveContext, call: CallOptions): Promise<JsonObject | undefined> {
  const about = await ifSupported(drive.service, 'exports', getAbout(drive, 'exportFormats', call));
  const formats = about?.['exportFormats'];
  return isObject(formats) ? formats : undefined;
}

/** An export has no known length, no checksum and no ranges. */
export function exportRequest({ service }: DriveContext, id: string, mimeType: string) {
  return { url: `${fileUrl(service, id)}/export`, query: { mimeType } };
}

/** @returns the name, with the extension of the format */
export function exportName(name: string, mimeType: string): string {
  const extension = extensionOf(standardType(mimeType));
  return extension === undefined || name.toLowerCase().endsWith(`.${extension}`)
    ? name
    : `${name}.${extension}`;
}

/** @returns URLs by MIME type */
async function exportLinks(drive: DriveContext, id: string, call: CallOptions): Promise<JsonObject> {
  const links = (await getMetadataIfSupported(drive, id, 'exportLinks', call))?.['exportLinks'];
  const valid = Object.entries(isObject(links) ? links : {}).filter(([type]) => MIME_TYPE.test(type));
  return Object.fromEntries(valid);
}

function isFormat(mimeType: string, requested: string): boolean {
  const format = requested.toLowerCase().replace(/^\./, '');
  if (format.includes('/')) return format === mimeType;
  return shortName(mimeType) === format || mimeTypeByName(format) === standardType(mimeType);
}

/** @returns the file extension of a MIME type if it has one */
function shortName(mimeType: string): string {
  return extensionOf(standardType(mimeType)) ?? mimeType;
}

/** Drive uses outdated names for some types, such as `application/x-vnd.oasis.opendocument.spreadsheet`. */
function standardType(mimeType: string): string {
  return mimeType.replace('/x-vnd.', '/vnd.');
}

/** MIME type of sign-in pages. */
const HTML = 'text/html';
const TOO_LARGE = 'exportSizeLimitExceeded';

/**
 * A download link also works for exports above the size limit of the export request. It leads to another origin, which
 * gets no token: for files that aren't shared with everyone who has the link, it returns a sign-in page.
 * @returns undefined for an invalid link, and for HTML exports, which look like a sign-in page
 */
export function usableExportLink(link: unknown, mimeType: string): string | undefined {
  if (typeof link !== 'string' || mimeType === HTML) return undefined;
  try {
    return secureUrl(link, 'exportLinks').href;
  } catch {
    return undefined;
  }
}

export function isExportTooLarge(error: unknown): boolean {
  return isDriveError(error) && error.reason === TOO_LARGE;
}

/** @throws `not_downloadable` if the response is a sign-in page */
export function rejectSignInPage({ status, headers }: HttpResponse): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === HTML) throw linkNotReadable(status);
}

/** @returns `not_downloadable` if the link's host refuses the request; other errors unchanged */
export function mapLinkError(error: unknown): unknown {
  if (!isDriveError(error) || error.retryable || error.status === undefined) return error;
  return isExportTooLarge(error) ? error : linkNotReadable(error.status);
}

function linkNotReadable(status: number): DriveError {
  return new DriveError('not_downloadable', {
    text: 'not_downloadable_export_link',
    params: { status },
    status,
    reason: TOO_LARGE,
  });
}
