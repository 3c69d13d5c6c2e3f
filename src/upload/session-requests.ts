/**
 * The requests of the resumable protocol. No error of theirs holds the session's address: it is a key.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { type DriveError, isDriveError } from '../errors';
import { type DriveContext, isUnsupportedRequest } from '../api/drive-context';
import type { HttpResponse } from '../http/client';
import { type JsonObject, badAnswer, discard } from '../http/json';
import { contentRange, parseStored, statusRange } from '../http/content-range';
import type { DriveRequest } from '../http/engine';
import type { CallOptions } from '../types';
import { type UploadJob, uploadAddress, uploadQuery } from './upload-job';
import { readObject } from './multipart';
import { sessionAddress } from './session-url';

/** What the service says to a PUT: the finished file, or how many bytes it holds. */
export type Reply = { file: JsonObject } | { stored: number };

/** @returns the session's address; undefined where a custom service knows no sessions */
export async function startSession(sending: UploadJob): Promise<string | undefined> {
  const { drive, destination, content, call } = sending;
  const url = uploadAddress(drive, destination);
  const request = {
    method: destination.method,
    url,
    query: uploadQuery(drive, 'resumable', destination.fields),
    headers: {
      'Content-Type': 'application/json; charset=UTF-8',
      'X-Upload-Content-Type': destination.mimeType,
      'X-Upload-Content-Length': String(content.length),
    },
    body: JSON.stringify(destination.resource),
  };
  try {
    return await drive.engine.once(request, call, ({ headers, body }) => {
      discard(body);
      return Promise.resolve(sessionAddress(headers['location'], url));
    });
  } catch (error) {
    const isRefused = isUnsupportedRequest(error);
    if (drive.service.kind === 'custom' && isRefused) return undefined;
    throw error;
  }
}

/** Asks how much is stored. @param total bytes of the whole */
export function askStored(
  drive: DriveContext,
  address: string,
  total: number,
  call: CallOptions,
): Promise<Reply> {
  const headers = { 'Content-Range': statusRange(total), 'Content-Length': '0' };
  return put(drive, { url: address, headers }, total, call);
}

/** From a byte on to another. It ends at the content's end or at a multiple of 256 KiB. */
export interface Part {
  start: number;
  /** Behind the last. */
  end: number;
  progressed: () => void;
}

export function putPart({ drive, content, call }: UploadJob, address: string, part: Part): Promise<Reply> {
  const { start, end, progressed } = part;
  const headers = { 'Content-Range': contentRange({ start, end, total: content.length }) };
  const body = content.from(start, progressed, { end });
  return put(drive, { url: address, headers, body }, content.length, call);
}

function put(
  { engine }: DriveContext,
  request: Omit<DriveRequest, 'method'>,
  total: number,
  call: CallOptions,
): Promise<Reply> {
  return engine.once({ ...request, method: 'PUT', answers: [308] }, call, (response) =>
    readReply(response, total),
  );
}

async function readReply(response: HttpResponse, total: number): Promise<Reply> {
  if (response.status !== 308) return { file: await readObject(response) };
  discard(response.body);
  const stored = parseStored(response.headers['range']);
  if (stored === undefined || stored > total) throw badAnswer('bad_response_type', { member: 'Range' });
  return { stored };
}

/** Sessions end after a week, and sometimes before. */
export function isGone(error: unknown): error is DriveError {
  return isDriveError(error) && (error.status === 404 || error.status === 410);
}
