import type { Request, Response } from 'express';
import { badRequest } from '../service/api-error';
import { readJsonObject, requestBody } from '../service/body';
import { exchangeOf } from '../service/exchange';
import { queryOf } from '../service/parameters';
import { FILE_DEFAULTS } from '../files/create-update';
import { existingFile, type DriveContext } from '../files/drive';
import { parseMask } from '../files/field-mask';
import { readMetadata } from '../files/metadata-input';
import { toResource } from '../files/resource';
import { FILE } from '../files/schemas';
import { checkQuota } from '../files/write';
import { checkTarget, commit } from './commit';
import { withByteChanged } from '../content/changed-byte';
import { readPiece, type Piece } from './content-range';
import type { Session, Sessions } from './sessions';

/**
 * Resumable uploads: a session is started with the metadata, then takes the content in one or more requests.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
export interface ResumableContext {
  drive: DriveContext;
  sessions: Sessions;
}

/** The first request: metadata in, the session's address out. */
export async function startSession(
  { drive, sessions }: ResumableContext,
  request: Request,
  response: Response,
  fileId: string | undefined,
): Promise<void> {
  const input = readMetadata(await readJsonObject(request));
  const query = queryOf(request);
  checkTarget(drive, { fileId, input, query });
  parseMask(query.get('fields') || FILE_DEFAULTS, FILE);
  const total = declaredLength(request);
  checkQuota(drive, total ?? 0);
  const mimeType = oneHeader(request, 'x-upload-content-type');
  const session = await sessions.begin({ fileId, input, query: query.toString(), mimeType, total });
  const path = fileId === undefined ? 'files' : `files/${encodeURIComponent(fileId)}`;
  const address = `${drive.origin()}/upload/drive/v3/${path}?uploadType=resumable&upload_id=${session.id}`;
  response.setHeader('Location', address).setHeader('X-GUploader-UploadID', session.id);
  response.status(200).end();
}

/** A request to a session: bytes, or the question how many are stored. */
export async function continueSession(
  context: ResumableContext,
  request: Request,
  response: Response,
): Promise<void> {
  const id = queryOf(request).get('upload_id') ?? '';
  const session = await context.sessions.find(id);
  await context.sessions.exclusively(id, request, async () => {
    if (session.madeId === undefined) await takePiece(context.drive, session, request);
    if (session.madeId === undefined && session.incoming.size === session.total) {
      await complete(context, session);
    }
    if (session.madeId === undefined) answerIncomplete(session, request, response);
    else await answerFile(context.drive, session, response);
  });
}

async function takePiece(drive: DriveContext, session: Session, request: Request): Promise<void> {
  const piece = readPiece(request);
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

function checkTotal(session: Session, piece: Piece): void {
  if (piece.total === undefined) return;
  session.total ??= piece.total;
  if (session.total !== piece.total) throw badRequest('The total differs from what was declared before.');
}

/**
 * Appends the body to what is stored; the number of bytes that came. Bytes that are stored already are skipped.
 * When the connection breaks, what came stays.
 */
async function storeBytes(
  drive: DriveContext,
  session: Session,
  request: Request,
  { skip, limit }: { skip: number; limit: number },
): Promise<number> {
  const { storeAtMost = Infinity, corruptStoredAt } = exchangeOf(request).effects;
  const index = corruptStoredAt === undefined ? undefined : corruptStoredAt - session.incoming.size + skip;
  const writer = await drive.content.writer(session.incoming);
  let received = 0;
  let stored = 0;
  try {
    for await (const chunk of withByteChanged(requestBody(request), index)) {
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

async function complete({ drive, sessions }: ResumableContext, session: Session): Promise<void> {
  const { fileId, input, mimeType, incoming } = session;
  const target = { fileId, input, query: new URLSearchParams(session.query) };
  try {
    session.madeId = (await commit(drive, target, { incoming, mimeType })).id;
    await sessions.save(session);
  } catch (error) {
    await sessions.remove(session.id);
    throw error;
  }
}

async function answerFile(drive: DriveContext, session: Session, response: Response): Promise<void> {
  const fields = new URLSearchParams(session.query).get('fields') || FILE_DEFAULTS;
  const record = existingFile(drive, session.madeId ?? '');
  response.status(200).json(await toResource(drive, record, parseMask(fields, FILE)));
}

/** 308 is no redirect here: `Range` says what is stored, its absence that nothing is. */
function answerIncomplete(session: Session, request: Request, response: Response): void {
  const { size } = session.incoming;
  if (size > 0 && !exchangeOf(request).effects.hideStoredRange) {
    response.setHeader('Range', `bytes=0-${size - 1}`);
  }
  response.setHeader('X-GUploader-UploadID', session.id).setHeader('Content-Length', 0);
  response.status(308).end();
}

function declaredLength(request: Request): number | undefined {
  const text = oneHeader(request, 'x-upload-content-length');
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw badRequest('Invalid X-Upload-Content-Length.');
  return Number(text);
}

function oneHeader(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
