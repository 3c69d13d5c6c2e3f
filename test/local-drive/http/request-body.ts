import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiError, badRequest } from './api-error';
import { requestChunks } from './request-chunks';
import { contextOf } from './request-context';
import { Throttle } from './throttle';

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The connection closed before the request body was complete, so no response can be sent. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionCut';
}

/**
 * Streams the body of a request. All handlers use it, because it records the body and applies faults. If a handler
 * stops reading early, the connection stays open for an error response.
 */
export async function* requestBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  const { recorded, effects } = contextOf(request);
  const throttle = effects.bytesPerSecond === undefined ? undefined : new Throttle(effects.bytesPerSecond);
  let received = 0;
  try {
    for await (const chunk of requestChunks(request)) {
      recorded.recordChunk(chunk);
      // Data that remains after the connection closed is read without delay.
      if (throttle && !request.destroyed)
        await wait(throttle.delayAfter(chunk.length), undefined, { ref: false });
      const stall = effects.stallRequest;
      if (stall && received + chunk.length >= stall.after) await stall.until;
      const limit = effects.resetRequestAfter ?? Infinity;
      if (received + chunk.length >= limit) {
        yield chunk.subarray(0, limit - received);
        request.socket.destroy();
        throw new ConnectionLostError();
      }
      received += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (request.destroyed && !request.complete) throw new ConnectionLostError();
    throw error;
  }
}

/** Reads a small body as text; 413 above 4 MiB. */
export async function readTextBody(request: IncomingMessage): Promise<string> {
  return collectText(requestBody(request));
}

/** Decodes chunks as text; 413 above 4 MiB. */
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

/** Parses a JSON object. As in Google Drive, an empty text is an empty object. */
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

/** Reads a body of the type `application/json`. */
export async function readJsonBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readTextBody(request);
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase();
  if (text !== '' && type !== 'application/json') {
    throw badRequest(`Unsupported content with type: ${type ?? ''}`);
  }
  return parseJsonObject(text);
}
