import { createHash } from 'node:crypto';
import { invalidValue } from '../http/api-error';
import type { Order, SortKey } from './order';

/**
 * Where the next page of a list begins: behind a place in its order, not after a number of items, so that items
 * that come or go meanwhile neither repeat nor hide others. It belongs to one search.
 */
export function encodePageToken(search: string, place: SortKey | undefined): string {
  const content = JSON.stringify([searchHash(search), place ?? null]);
  return `~!!~${Buffer.from(content).toString('base64url')}`;
}

/** The place in a token; 400 if it is not one of this search. */
export function decodePageToken(search: string, order: Order, token: string): SortKey | undefined {
  const content = /^~!!~([\w-]+)$/.exec(token)?.[1];
  if (content === undefined) throw invalidValue('pageToken');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(content, 'base64url').toString());
  } catch {
    throw invalidValue('pageToken');
  }
  const [mark, place] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (mark !== searchHash(search)) throw invalidValue('pageToken');
  if (place === null) return undefined;
  if (!order.accepts(place)) throw invalidValue('pageToken');
  return place;
}

function searchHash(search: string): string {
  return createHash('sha256').update(search).digest('base64url').slice(0, 12);
}
