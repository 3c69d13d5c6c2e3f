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
import { checkQuota } from '../api/save-file';
import { checkUploadTarget, saveUpload } from './upload-target';
import { corruptChunks } from '../faults/corrupt-byte';
import { readContentRange, type UploadRange } from './content-range';
import type { UploadSession, UploadSessions } from './upload-sessions';

/**
 * Resumable uploads: a session is started with the metadata, then takes the content in one or more requests.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
export interface UploadBackend {
  drive: DriveBackend;
  sessions: UploadSessions;
}

/** The first request: metadata in, the session's address out. */
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
  const session = await sessions.start({ fileId, input, query: query.toString(), mimeType, total });
  const path = fileId === undefined ? 'files' : `files/${encodeURIComponent(fileId)}`;
  const address = `${drive.baseUrl()}/upload/drive/v3/${path}?uploadType=resumable&upload_id=${session.id}`;
  response.setHeader('Location', address).setHeader('X-GUploader-UploadID', session.id);
  response.status(200).end();
}

/** A request to a session: bytes, or the question how many are stored. */
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
  const piece = readContentRange(request);
  checkTotal(session, piece);
  if (piece.type === 'query') return;
  const stored = session.incoming.size;
  // After a gap nothing can be stored: the answer says where to go on.
  const received = await storeBytes(drive, session, request, {
    skip: piece.start > stored ? Infinity : stored - piece.start,
    limit: piece.length ?? (session.total === undefined ? Infinity : session.total - piece.start),
  });
  // A body of unknown length without Content-Range is the whole content.
  if (request.headers['content-range'] === undefined) session.total ??= received;
}

function checkTotal(session: UploadSession, piece: UploadRange): void {
  if (piece.total === undefined) return;
  session.total ??= piece.total;
  if (session.total !== piece.total) throw badRequest('The total differs from what was declared before.');
}

/**
 * Appends the body to what is stored; the number of bytes that came. Bytes that are stored already are skipped.
 * When the connection breaks, what came stays.
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
      const fresh = Math.min(chunk.length, Math.max(0, skip - received));
      const usable = Math.min(chunk.length, limit - received, fresh + storeAtMost - stored);
      received += chunk.length;
      if (usable > fresh) {
        await writer.write(chunk.subarray(fresh, usable));
        stored += usable - fresh;
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

/** 308 is no redirect here: `Range` says what is stored, its absence that nothing is. */
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
