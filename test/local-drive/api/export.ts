/** Exports of Workspace documents. https://developers.google.com/workspace/drive/api/guides/ref-export-formats */
import { readFile } from 'node:fs/promises';
import type { Request, Response } from 'express';
import { ApiError, badRequest } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import { isFolder, isWorkspaceType, SHORTCUT, type FileRecord } from '../storage/file-record';
import { fileIdParameter } from './create-update-delete';
import { existingFile, type DriveBackend } from './backend';

const DOCUMENT = ['application/pdf', 'text/plain', 'text/html', 'application/rtf', 'application/zip'];

/** Export formats by the MIME type of a Workspace document. */
export const EXPORT_FORMATS: Readonly<Record<string, string[]>> = {
  'application/vnd.google-apps.document': DOCUMENT,
  'application/vnd.google-apps.spreadsheet': ['text/csv', 'application/pdf'],
  'application/vnd.google-apps.presentation': ['application/pdf', 'text/plain'],
};

/** Google Drive's limit for files.export. */
const MAX_EXPORT_BYTES = 10 * 1024 * 1024;

/**
 * files.export: a Workspace document in another format.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export
 */
export async function exportFile(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = existingFile(drive, fileIdParameter(request));
  const format = queryOf(request).get('mimeType');
  if (!format) throw new ApiError(400, 'required', 'Required parameter: mimeType');
  const formats = exportFormatsOf(record);
  if (!formats) {
    throw new ApiError(403, 'fileNotExportable', 'Export only supports Docs Editors files.');
  }
  if (!formats.includes(format)) throw badRequest('The requested conversion is not supported.');
  if ((record.content?.size ?? 0) > MAX_EXPORT_BYTES) {
    throw new ApiError(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.');
  }
  await sendExport(drive, record, format, response);
}

/** Sends an export of any size. */
export async function sendExport(
  drive: DriveBackend,
  record: FileRecord,
  format: string,
  response: Response,
): Promise<void> {
  const text = await documentText(drive, record);
  const body = format === 'application/pdf' ? minimalPdf(text) : text;
  response.setHeader('Content-Type', format);
  response.end(body);
}

/** The content that the document was created from, or its name. */
async function documentText(drive: DriveBackend, { content, name }: FileRecord): Promise<Buffer> {
  return content?.blob === undefined
    ? Buffer.from(`${name}\n`)
    : readFile(drive.content.pathOf(content.blob));
}

/** A file with the header and trailer of a PDF and the text as a comment. */
function minimalPdf(text: Buffer): Buffer {
  const lines = text.toString('latin1').split(/[\r\n]+/);
  const comment = lines.map((line) => `%${line}`).join('\n');
  return Buffer.from(`%PDF-1.4\n${comment}\ntrailer<</Root 1 0 R>>\n%%EOF\n`, 'latin1');
}

/**
 * The export URLs of a Workspace document by format; undefined for other files.
 * @param baseUrl returns the URL to which the format is added
 */
export function exportLinks(
  record: FileRecord,
  baseUrl: (record: FileRecord) => string,
): Record<string, string> | undefined {
  const formats = exportFormatsOf(record);
  if (!formats) return undefined;
  const link = (format: string): string => `${baseUrl(record)}?mimeType=${encodeURIComponent(format)}`;
  return Object.fromEntries(formats.map((format) => [format, link(format)]));
}

/** The export formats of a Workspace document; undefined for other files. */
function exportFormatsOf(record: FileRecord): string[] | undefined {
  if (!isWorkspaceType(record.mimeType) || isFolder(record) || record.mimeType === SHORTCUT) return undefined;
  return EXPORT_FORMATS[record.mimeType] ?? [];
}
