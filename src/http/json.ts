/** Sends JSON; reads responses, limited in size and time, and checks JSON before use. */
import type { Readable } from 'node:stream';
import { DriveError, badResponse, maximumSize, uncheckedError } from '../errors';
import { TimeLimit } from '../core/clock';
import { type JsonObject, type TypeGuard, Validator, isObject, tryParse } from '../core/validator';

/** A page of 1,000 files with all fields is below 10 MiB. */
export const MAX_JSON_BYTES = 32 * 1024 * 1024;

/** The body of a request, and the header that describes it. */
export function jsonBody(value: object): { headers: Record<string, string>; body: string } {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/**
 * Reads a whole stream, and destroys it on failure.
 * @param limit bytes
 * @param timeout ms for the whole stream, because a response that trickles in is never idle
 * @throws `bad_response` if the stream is longer than `limit`, `timeout`
 */
export async function readAll(stream: Readable, limit: number, timeout?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const abort = (): void => void stream.destroy(new DriveError('timeout', { retryable: true }));
  const timeLimit = timeout === undefined ? undefined : new TimeLimit(timeout, abort);
  try {
    for await (const chunk of stream) {
      const buffer = chunk as Buffer;
      length += buffer.length;
      if (length > limit) throw badResponse('bad_response_too_large', { limit: maximumSize(limit) });
      chunks.push(buffer);
    }
  } finally {
    timeLimit?.stop();
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
}

/** Bytes; reading more of an unneeded response costs more than a new connection. */
const MAX_DISCARDED = 64 * 1024;
/** ms */
const DISCARD_TIMEOUT = 5_000;

/** Reads a body that isn't needed, so that its connection can be reused. */
export function discard(body: Readable, timeout = DISCARD_TIMEOUT): void {
  const timer = setTimeout(() => body.destroy(), timeout).unref();
  body.once('close', () => clearTimeout(timer));
  let length = 0;
  body.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_DISCARDED) body.destroy();
  });
}

/** @returns the JSON object of a response. @throws as {@link readAll} and {@link parseObject} */
export async function readObject({
  body,
  bodyTimeout,
}: {
  body: Readable;
  bodyTimeout: number;
}): Promise<JsonObject> {
  return parseObject(await readAll(body, MAX_JSON_BYTES, bodyTimeout));
}

/** @throws `bad_response` unless the bytes are a JSON object in UTF-8 */
export function parseObject(bytes: Buffer): JsonObject {
  const value = tryParse(bytes);
  if (!isObject(value)) throw notJson();
  return value;
}

const RESPONSE = new Validator((member, value) =>
  badResponse(value === undefined ? 'bad_response_missing' : 'bad_response_type', { member }),
);

/** @returns the member. @throws `bad_response` naming the member if it is missing or has the wrong type */
export function member<T>(object: JsonObject, name: string, check: TypeGuard<T>): T {
  return RESPONSE.member(object, name, check);
}

/** Like {@link member}, but the member may be absent or null. */
export function optionalMember<T>(object: JsonObject, name: string, check: TypeGuard<T>): T | undefined {
  return RESPONSE.optional(object, name, check);
}

/** The request engine adds the URL that may be wrong: see error-mapping.ts. */
export function notJson(): DriveError {
  return uncheckedError('bad_response', 'bad_response_no_json', {});
}
