import { createHash } from 'node:crypto';
import { invalidValue } from '../service/api-error';
import type { Order, Place } from './order';

/**
 * Where the next page of a list begins: behind a place in its order, not after a number of items, so that items
 * that come or go meanwhile neither repeat nor hide others. It belongs to one search.
 */
export function writePageToken(search: string, place: Place | undefined): string {
  const content = JSON.stringify([digest(search), place ?? null]);
  return `~!!~${Buffer.from(content).toString('base64url')}`;
}

/** The place in a token; 400 if it is not one of this search. */
export function readPageToken(search: string, order: Order, token: string): Place | undefined {
  const content = /^~!!~([\w-]+)$/.exec(token)?.[1];
  if (content === undefined) throw invalidValue('pageToken');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(content, 'base64url').toString());
  } catch {
    throw invalidValue('pageToken');
  }
  const [mark, place] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (mark !== digest(search)) throw invalidValue('pageToken');
  if (place === null) return undefined;
  if (!order.accepts(place)) throw invalidValue('pageToken');
  return place;
}

function digest(search: string): string {
  return createHash('sha256').update(search).digest('base64url').slice(0, 12);
}
