/**
 * The requests of the resumable protocol. Their errors never contain the session URL, which grants write access.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { badResponse, type DriveError, isDriveError } from '../../errors';
import { type DriveContext, ifSupported } from '../../drive/drive-context';
import { contentRange, parseStoredRange, statusRange } from '../content-range';
import type { DriveRequest } from '../../http/engine';
import type { JsonObject } from '../../core/validator';
import { discard, readObject } from '../../http/json';
import type { CallOptions } from '../../types';
import { type SessionAttempt, uploadQuery, uploadUrl } from './upload-job';
import { safeLocation } from '../../http/url';

/** The complete file, or the number of bytes that the service has stored so far. */
export type SessionStatus = { file: JsonObject } | { stored: number };

/** @returns the session URL; undefined if a custom service doesn't support resumable uploads */
export async function startSession({
  drive,
  target,
  body,
  call,
}: SessionAttempt): Promise<string | undefined> {
  const url = uploadUrl(drive, target);
  const request = {
    method: target.method,
    url,
    query: uploadQuery(drive, 'resumable', target.fields),
    headers: {
      'Content-Type': 'application/json; charset=UTF-8',
      'X-Upload-Content-Type': target.mimeType,
      ...(body.length === undefined ? {} : { 'X-Upload-Content-Length': String(body.length) }),
    },
    body: JSON.stringify(target.metadata),
  };
  const started = drive.engine.requestWithoutRetry(request, call, (response) => {
    discard(response.body);
    return Promise.resolve(checkedSessionUrl(response.headers['location'], url));
  });
  return ifSupported(drive.service, 'resumableUploads', started);
}

/** Asks how many bytes are stored. @param total undefined if unknown; the service can't have stored more than `end` */
export function queryStatus(
  drive: DriveContext,
  {
    sessionUrl,
    total,
    end = total,
  }: { sessionUrl: string; total: number | undefined; end?: number | undefined },
  call: CallOptions,
): Promise<SessionStatus> {
  const headers = { 'Content-Range': statusRange(total), 'Content-Length': '0' };
  return put(drive, { url: sessionUrl, headers }, end, call);
}

/** Sends the bytes from `start` up to `end`, which is a multiple of 256 KiB or the end of the content. */
export function putRange(
  { drive, body, call }: SessionAttempt,
  sessionUrl: string,
  { start, end }: { start: number; end: number },
): Promise<SessionStatus> {
  const total = body.length;
  const headers = { 'Content-Range': contentRange({ start, end, total }) };
  return put(drive, { url: sessionUrl, headers, body: body.from(start, { end }) }, body.end, call);
}

function put(
  { engine }: DriveContext,
  request: Omit<DriveRequest, 'method'>,
  end: number | undefined,
  call: CallOptions,
): Promise<SessionStatus> {
  return engine.requestWithoutRetry(
    { ...request, method: 'PUT', acceptedStatuses: [308] },
    call,
    async (response) => {
      if (response.status !== 308) return { file: await readObject(response) };
      discard(response.body);
      const stored = parseStoredRange(response.headers['range']);
      if (stored === undefined || stored > (end ?? Infinity))
        throw badResponse('bad_response_type', { member: 'Range' });
      return { stored };
    },
  );
}

/** Sessions expire after a week, and sometimes earlier. */
export function isSessionExpired(error: unknown): error is DriveError {
  return isDriveError(error) && (error.status === 404 || error.status === 410);
}

/**
 * @param location the `Location` header, which may be relative
 * @param base URL of the request
 * @throws `bad_response` if it is missing or {@link safeLocation} rejects it, `insecure_url`
 */
export function checkedSessionUrl(location: string | undefined, base: string): string {
  if (!location) throw badResponse('bad_response_missing', { member: 'Location' });
  const url = safeLocation(location, base);
  if (!url) throw badResponse('bad_response_type', { member: 'Location' });
  return url.href;
}
