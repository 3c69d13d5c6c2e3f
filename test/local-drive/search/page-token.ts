import { createHash } from 'node:crypto';
import { invalidValue } from '../http/api-error';
import type { Order, SortKey } from './order';

/**
 * The page token of a search. It contains the sort key of the last item instead of an offset, so that files created
 * or deleted meanwhile neither repeat nor hide others.
 */
export function encodePageToken(search: string, after: SortKey | undefined): string {
  const content = JSON.stringify([searchHash(search), after ?? null]);
  return `~!!~${Buffer.from(content).toString('base64url')}`;
}

/** The sort key in a page token; 400 if the token belongs to another search. */
export function decodePageToken(search: string, order: Order, token: string): SortKey | undefined {
  const content = /^~!!~([\w-]+)$/.exec(token)?.[1];
  if (content === undefined) throw invalidValue('pageToken');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(content, 'base64url').toString());
  } catch {
    throw invalidValue('pageToken');
  }
  const [hash, after] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (hash !== searchHash(search)) throw invalidValue('pageToken');
  if (after === null) return undefined;
  if (!order.accepts(after)) throw invalidValue('pageToken');
  return after;
}

function searchHash(search: string): string {
  return createHash('sha256').update(search).digest('base64url').slice(0, 12);
}
