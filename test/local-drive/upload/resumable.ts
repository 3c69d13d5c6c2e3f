import type { Request, Response } from 'express';
import { badRequest } from '../http/api-error';
import { readJsonBody, requestBody } from '../http/request-body';
import { contextOf } from '../http/request-context';
import { queryOf } from '../http/query-parameters';
import { DEFAULT_FILE_FIELDS } from '../api/create-update-delete';
import { existingFile, type DriveBackend } from '../api/backend';
import { parseMask } from '../api/field-mask';
import { readMetadata } from '../api/metadata-input';
import { toResource } from '../api/resource';
import { FILE } from '../api/schemas';
import { checkConversion } from '../api/import';
import { checkQuota } from '../api/save-file';
import { checkUploadTarget, saveUpload } from './upload-target';
import { corruptChunks } from '../faults/corrupt-byte';
import { readContentRange, type UploadRange } from './content-range';
import type { UploadSession, UploadSessions } from './upload-sessions';

/**
 * Resumable uploads: the first request starts a session with the metadata, later ones send the content.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
export interface UploadBackend {
  drive: DriveBackend;
  sessions: UploadSessions;
}

/** Starts an upload session and sends its URL. */
export async function startSession(
  { drive, sessions }: UploadBackend,
  request: Request,
  response: Response,
  fileId: string | undefined,
): Promise<void> {
  const input = readMetadata(await readJsonBody(request));
  const query = queryOf(request);
  checkUploadTarget(drive, { fileId, input, query });
  parseMask(query.get('fields') || DEFAULT_FILE_FIELDS, FILE);
  const total = declaredSize(request);
  checkQuota(drive, total ?? 0);
  const mimeType = singleHeader(request, 'x-upload-content-type');
  checkConversion(mimeType, input.mimeType ?? drive.store.get(fileId ?? '')?.mimeType ?? '');
  const session = await sessions.start({ fileId, input, query: query.toString(), mimeType, total });
  const path = fileId === undefined ? 'files' : `files/${encodeURIComponent(fileId)}`;
  const sessionUrl = `${drive.baseUrl()}/upload/drive/v3/${path}?uploadType=resumable&upload_id=${session.id}`;
  response.setHeader('Location', sessionUrl).setHeader('X-GUploader-UploadID', session.id);
  response.status(200).end();
}

/** Handles a request to a session: content, or a status query. */
export async function continueSession(
  context: UploadBackend,
  request: Request,
  response: Response,
): Promise<void> {
  const id = queryOf(request).get('upload_id') ?? '';
  const session = await context.sessions.find(id);
  await context.sessions.exclusively(id, request, async () => {
    if (session.completedFileId === undefined) await receiveRange(context.drive, session, request);
    if (session.completedFileId === undefined && session.incoming.size === session.total) {
      await completeSession(context, session);
    }
    if (session.completedFileId === undefined) sendResumeIncomplete(session, request, response);
    else await sendFile(context.drive, session, response);
  });
}

async function receiveRange(drive: DriveBackend, session: UploadSession, request: Request): Promise<void> {
  const range = readContentRange(request);
  checkTotal(session, range);
  if (range.type === 'query') return;
  const stored = session.incoming.size;
  // Bytes after a gap can't be stored; the response tells the client where to continue.
  const received = await storeBytes(drive, session, request, {
    skip: range.start > stored ? Infinity : stored - range.start,
    limit: range.length ?? (session.total === undefined ? Infinity : session.total - range.start),
  });
  // A body without Content-Range is the whole content, even if its length was unknown.
  if (request.headers['content-range'] === undefined) session.total ??= received;
}

function checkTotal(session: UploadSession, range: UploadRange): void {
  if (range.total === undefined) return;
  session.total ??= range.total;
  if (session.total !== range.total) throw badRequest('The total differs from what was declared before.');
}

/**
 * Appends the body to the stored content, skipping bytes that are already stored. If the connection closes, the
 * received bytes are kept.
 * @returns the number of received bytes
 */
async function storeBytes(
  drive: DriveBackend,
  session: UploadSession,
  request: Request,
  { skip, limit }: { skip: number; limit: number },
): Promise<number> {
  const { storeAtMost = Infinity, corruptStoredAt } = contextOf(request).effects;
  const index = corruptStoredAt === undefined ? undefined : corruptStoredAt - session.incoming.size + skip;
  const writer = await drive.content.writer(session.incoming);
  let received = 0;
  let stored = 0;
  try {
    for await (const chunk of corruptChunks(requestBody(request), index)) {
      const newFrom = Math.min(chunk.length, Math.max(0, skip - received));
      const end = Math.min(chunk.length, limit - received, newFrom + storeAtMost - stored);
      received += chunk.length;
      if (end > newFrom) {
        await writer.write(chunk.subarray(newFrom, end));
        stored += end - newFrom;
      }
      if (received > limit) throw badRequest('More bytes than were declared.');
    }
  } finally {
    await writer.close();
  }
  return received;
}

async function completeSession({ drive, sessions }: UploadBackend, session: UploadSession): Promise<void> {
  const { fileId, input, mimeType, incoming } = session;
  const target = { fileId, input, query: new URLSearchParams(session.query) };
  try {
    session.completedFileId = (await saveUpload(drive, target, { incoming, mimeType })).id;
    await sessions.save(session);
  } catch (error) {
    await sessions.remove(session.id);
    throw error;
  }
}

async function sendFile(drive: DriveBackend, session: UploadSession, response: Response): Promise<void> {
  const fields = new URLSearchParams(session.query).get('fields') || DEFAULT_FILE_FIELDS;
  const record = existingFile(drive, session.completedFileId ?? '');
  response.status(200).json(await toResource(drive, record, parseMask(fields, FILE)));
}

/** 308 Resume Incomplete: `Range` gives the stored bytes; it is absent if there are none. */
function sendResumeIncomplete(session: UploadSession, request: Request, response: Response): void {
  const { size } = session.incoming;
  if (size > 0 && !contextOf(request).effects.omitRange) {
    response.setHeader('Range', `bytes=0-${size - 1}`);
  }
  response.setHeader('X-GUploader-UploadID', session.id).setHeader('Content-Length', 0);
  response.status(308).end();
}

function declaredSize(request: Request): number | undefined {
  const text = singleHeader(request, 'x-upload-content-length');
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw badRequest('Invalid X-Upload-Content-Length.');
  return Number(text);
}

function singleHeader(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
