import type { IncomingMessage } from 'node:http';
import { badRequest } from '../http/api-error';

/** The bytes of a request to an upload session. */
export type UploadRange =
  /** `bytes *\/total`: a status query. */
  | { type: 'query'; total?: number }
  /** `bytes start-end/total`, or the whole content without the header. `length` is undefined if unknown. */
  | { type: 'bytes'; start: number; length?: number; total?: number };

/** The size of all chunks except the last is a multiple of this. */
const CHUNK_UNIT = 256 * 1024;

/** Parses Content-Range (RFC 9110 section 14.4; the total may be `*`); 400 if it is inconsistent. */
export function readContentRange(request: IncomingMessage): UploadRange {
  const header = request.headers['content-range'];
  const sent = request.headers['content-length'];
  const bodyLength = sent === undefined ? undefined : Number(sent);
  if (header === undefined) return { type: 'bytes', start: 0, length: bodyLength, total: bodyLength };
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i.exec(header.trim());
  if (!match) throw badRequest('Failed to parse Content-Range header.');
  const [, first, last, all] = match;
  const total = all === '*' ? undefined : Number(all);
  if (first === undefined || last === undefined) {
    if (bodyLength) throw badRequest('A status query has no body.');
    return { type: 'query', total };
  }
  const [start, end] = [Number(first), Number(last)];
  const length = end - start + 1;
  if (length < 1 || (total !== undefined && end >= total)) throw badRequest('Invalid Content-Range header.');
  if (bodyLength !== undefined && bodyLength !== length) {
    throw badRequest('Content-Length does not match the Content-Range.');
  }
  if (end + 1 !== total && length % CHUNK_UNIT !== 0) {
    throw badRequest('All chunks but the last must be a multiple of 262144 bytes.');
  }
  return { type: 'bytes', start, length, total };
}
