import { readFile } from 'node:fs/promises';
import type { Request, Response } from 'express';
import { ApiError, badRequest } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import type { FileRecord } from '../storage/file-record';
import { fileIdParameter } from './create-update-delete';
import { existingFile, type DriveBackend } from './backend';
import { exportFormatsOf } from './export-formats';

/** At most 10 MB, as the real service says. */
const MAX_EXPORT_BYTES = 10 * 1024 * 1024;

/**
 * GET /drive/v3/files/ID/export: a native document in another format.
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

/** Of any size. */
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

/** What the document was made from, or its name. */
async function documentText(drive: DriveBackend, { content, name }: FileRecord): Promise<Buffer> {
  return content?.blob === undefined
    ? Buffer.from(`${name}\n`)
    : readFile(drive.content.pathOf(content.blob));
}

/** The smallest thing that begins and ends as a PDF does; the text is in a comment. */
function minimalPdf(text: Buffer): Buffer {
  const lines = text.toString('latin1').split(/[\r\n]+/);
  const comment = lines.map((line) => `%${line}`).join('\n');
  return Buffer.from(`%PDF-1.4\n${comment}\ntrailer<</Root 1 0 R>>\n%%EOF\n`, 'latin1');
}
