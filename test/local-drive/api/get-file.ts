import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { ApiError } from '../http/api-error';
import { booleanParameter, queryOf } from '../http/query-parameters';
import { hasDownloadableContent, type Content, type FileRecord } from '../storage/file-record';
import { existingFile, requestedMask, type DriveBackend } from './backend';
import { fileIdParameter, DEFAULT_FILE_FIELDS } from './create-update-delete';
import { toResource } from './resource';
import { FILE } from './schemas';

/** Large reads keep downloads fast. */
const READ_SIZE = 1024 * 1024;

/** files.get: metadata, or with `alt=media` the content. */
export async function getFile(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const query = queryOf(request);
  const record = existingFile(drive, fileIdParameter(request));
  if (query.get('alt') !== 'media') {
    response.json(await toResource(drive, record, requestedMask(request, FILE, DEFAULT_FILE_FIELDS)));
    return;
  }
  checkDownloadAllowed(record, booleanParameter(query, 'acknowledgeAbuse'));
  if (drive.redirectDownload) response.redirect(302, drive.redirectDownload(record));
  else await sendContent(drive, record, request, response);
}

function checkDownloadAllowed(record: FileRecord, acknowledgeAbuse: boolean): void {
  if (!hasDownloadableContent(record)) {
    const message = 'Only files with binary content can be downloaded. Use Export with Docs Editors files.';
    throw new ApiError(403, 'fileNotDownloadable', message, { location: 'alt', locationType: 'parameter' });
  }
  if (record.abusive && !acknowledgeAbuse) {
    const message =
      'This file has been identified as malware or spam and cannot be downloaded. Only the owner can download it, with acknowledgeAbuse=true.';
    throw new ApiError(403, 'cannotDownloadAbusiveFile', message);
  }
}

/** Sends the whole content or the requested range (RFC 9110 section 14). */
export async function sendContent(
  drive: DriveBackend,
  record: FileRecord,
  request: Request,
  response: Response,
): Promise<void> {
  const content: Content = record.content ?? { size: 0 };
  const range = parseRange(request.headers.range, content.size);
  response.setHeader('Content-Type', record.mimeType);
  response.setHeader('Accept-Ranges', 'bytes');
  const { start, end } = range ?? { start: 0, end: content.size - 1 };
  if (range) {
    response.status(206);
    response.setHeader('Content-Range', `bytes ${start}-${end}/${content.size}`);
  }
  response.setHeader('Content-Length', end - start + 1);
  if (content.blob === undefined || request.method === 'HEAD') {
    response.end();
    return;
  }
  const stream = createReadStream(drive.content.pathOf(content.blob), {
    start,
    end,
    highWaterMark: READ_SIZE,
  });
  // A client that disconnects is not an error of the service.
  await pipeline(stream, response).catch(() => undefined);
}

/** A single byte range. Undefined if there is none, several or an invalid one: the whole content is sent then. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  if (start >= size) {
    const headers = { 'Content-Range': `bytes */${size}` };
    throw new ApiError(
      416,
      'requestedRangeNotSatisfiable',
      'Request range not satisfiable',
      undefined,
      headers,
    );
  }
  return { start, end };
}
