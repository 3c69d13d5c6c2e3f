/** Reading answers: bounded in size and in time, decoded strictly, checked before use. */
import type { Readable } from 'node:stream';
import { DriveError } from '../errors';
import { MAX_TIMER_DELAY } from '../concurrency/clock';
import { formatSize } from './format-size';

export type JsonObject = Record<string, unknown>;

/** Larger JSON than this is never wanted: a page of 1,000 files with every field is below 10 MiB. */
export const MAX_JSON_BYTES = 32 * 1024 * 1024;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a stream whole, and destroys it where that can't be done.
 * @param within ms: what trickles in is never silent for long, and would go on for ever
 * @throws `bad_response` past `limit` bytes, `timeout`
 */
export async function readAll(stream: Readable, limit: number, within?: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const giveUp = (): unknown => stream.destroy(new DriveError('timeout', { retryable: true }));
  const end = within === undefined ? undefined : setTimeout(giveUp, Math.min(within, MAX_TIMER_DELAY));
  try {
    for await (const chunk of stream) {
      const buffer = chunk as Buffer;
      length += buffer.length;
      if (length > limit) throw badResponse('bad_response_too_large', { limit: formatSize(limit, 'down') });
      chunks.push(buffer);
    }
  } finally {
    clearTimeout(end);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length);
}

/** More than this of an answer that nobody needs is not worth keeping its connection for. */
const MOST_DISCARDED = 64 * 1024;
/** Nor is more time, ms. */
const DISCARDED_WITHIN = 5_000;

/** Lets a body pass that nobody needs, so that its connection can be used again. */
export function discard(body: Readable, within = DISCARDED_WITHIN): void {
  const end = setTimeout(() => body.destroy(), within).unref();
  body.once('close', () => clearTimeout(end));
  let length = 0;
  body.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MOST_DISCARDED) body.destroy();
  });
}

/** @throws `bad_response` where the bytes are no UTF-8 or no JSON object */
export function parseObject(bytes: Buffer): JsonObject {
  const value = tryParse(bytes);
  if (!isObject(value)) throw badResponse('bad_response_no_json');
  return value;
}

/** @returns the parsed value, undefined where it is no JSON or nested so deep that whoever walks it falls */
export function tryParse(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return !isNested(value) || isWithin(value, DEEPEST) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** No answer of the service is nested deeper than ten. Node-RED copies messages level by level. */
const DEEPEST = 200;

/** @param levels of arrays and objects that there may be. Of a large page most values are texts: they cost no call. */
function isWithin(value: object, levels: number): boolean {
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const each of value) if (isNested(each) && !isWithin(each, levels - 1)) return false;
    return true;
  }
  // Of what JSON.parse makes, these are its own.
  for (const name in value) {
    const each = (value as JsonObject)[name];
    if (isNested(each) && !isWithin(each, levels - 1)) return false;
  }
  return true;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

export type TypeGuard<T> = (value: unknown) => value is T;

export const isString: TypeGuard<string> = (value): value is string => typeof value === 'string';
export const isNonEmptyString: TypeGuard<string> = (value): value is string =>
  typeof value === 'string' && value !== '';
export const isNumber: TypeGuard<number> = (value): value is number =>
  typeof value === 'number' && Number.isFinite(value);
export const isBoolean: TypeGuard<boolean> = (value): value is boolean => typeof value === 'boolean';

/** @returns the member. @throws `bad_response` naming it where it is missing or of the wrong type */
export function member<T>(object: JsonObject, name: string, check: TypeGuard<T>): T {
  const value = object[name];
  if (check(value)) return value;
  throw badResponse(value === undefined ? 'bad_response_missing' : 'bad_response_type', { member: name });
}

/** Like {@link member}, but the member (or its null) may be absent. */
export function optionalMember<T>(object: JsonObject, name: string, check: TypeGuard<T>): T | undefined {
  return object[name] === undefined || object[name] === null ? undefined : member(object, name, check);
}

export function badResponse(text: string, params: Record<string, string | number> = {}): DriveError {
  return new DriveError('bad_response', { text, params });
}
