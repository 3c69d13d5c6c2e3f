/** Bodies of requests. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, badRequest } from './api-error';
import { requestChunks } from './request-chunks';
import { contextOf } from './request-context';
import { Throttle } from './throttle';

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The connection ended before the request body did: there is nobody to answer. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionCut';
}

/**
 * The body of a request as it arrives. The one way to read one, because here it is recorded and here faults
 * cut or stall it. Leaving the loop early leaves the connection alive (an error answer can still be sent).
 */
export async function* requestBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const { recorded, effects } = contextOf(request);
  const throttle = effects.bytesPerSecond === undefined ? undefined : new Throttle(effects.bytesPerSecond);
  let seen = 0;
  try {
    for await (const chunk of requestChunks(request)) {
      recorded.recordChunk(chunk);
      // What is left of a broken connection is taken at once.
      if (throttle && !request.destroyed)
        await wait(throttle.delayAfter(chunk.length), undefined, { ref: false });
      const stall = effects.stallRequest;
      if (stall && seen + chunk.length >= stall.after) await stall.until;
      const limit = effects.resetRequestAfter ?? Infinity;
      if (seen + chunk.length >= limit) {
        yield chunk.subarray(0, limit - seen);
        request.socket.destroy();
        throw new ConnectionLostError();
      }
      seen += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (request.destroyed && !request.complete) throw new ConnectionLostError();
    throw error;
  }
}

/** A small body as text; 413 beyond 4 MiB. */
export async function readTextBody(request: IncomingMessage): Promise<string> {
  return collectText(requestBody(request));
}

/** Gathers chunks into a text; 413 beyond 4 MiB. */
export async function collectText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_TEXT_BYTES) throw new ApiError(413, 'uploadTooLarge', 'Request is too large.');
    pieces.push(chunk);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A JSON object from a text; an empty text is an empty object, as at the real service. */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, 'parseError', 'Parse Error');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('The request body must be a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** A JSON object sent as `application/json`. */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readTextBody(request);
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase();
  if (text !== '' && type !== 'application/json') {
    throw badRequest(`Unsupported content with type: ${type ?? ''}`);
  }
  return parseJsonObject(text);
}
