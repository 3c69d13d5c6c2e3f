/**
 * What happens while an account works, for logs, benchmarks and tests. Events contain no token, header, name, ID or
 * query, and no host, which may be an upload URL's.
 */
import { errorCode } from '../errors';

export type ObservedEvent = RequestEvent | RetryEvent | RefreshEvent | TransferEvent;
export type Observe = (event: ObservedEvent) => void;

/** A request, when its response has been read or it has failed. */
interface RequestEvent {
  event: 'request';
  method: string;
  /** With `*` for IDs: see {@link withoutIds}. */
  path: string;
  /** Undefined without a response. */
  status?: number;
  /** Code of the error, if there was no response. */
  error?: string;
  ms: number;
  /** Bytes of the request body, if known in advance. */
  sent?: number | undefined;
  /** `Content-Length` of the response. */
  received?: number;
}

/** A temporary error, after which work is repeated. */
interface RetryEvent {
  event: 'retry';
  error: string;
  /** 1 for the first one since the last progress. */
  attempt: number;
  /** ms until the repetition. */
  delay: number;
}

/** An access token was requested, with retries. */
interface RefreshEvent {
  event: 'refresh';
  error?: string;
  ms: number;
}

/** The content of a file, or a range of it, was sent or fetched, with retries. */
interface TransferEvent {
  event: 'transfer';
  direction: 'upload' | 'download';
  /** Undefined if unknown. */
  bytes?: number | undefined;
  error?: string;
  ms: number;
}

/** Does work and then reports how long it took and how it failed. */
export async function observed<T>(
  observe: Observe | undefined,
  work: () => Promise<T>,
  describe: (took: { ms: number; error?: string }) => ObservedEvent,
): Promise<T> {
  if (!observe) return work();
  const started = performance.now();
  const report = (error?: string): void =>
    observe(describe({ ms: msSince(started), ...(error && { error }) }));
  try {
    const result = await work();
    report();
    return result;
  } catch (error) {
    report(errorCode(error) ?? 'unknown');
    throw error;
  }
}

/** As {@link observed}. @param bytes called after the work */
export function observedTransfer<T>(
  observe: Observe | undefined,
  direction: TransferEvent['direction'],
  bytes: () => number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  return observed(observe, work, (took) => ({ event: 'transfer', direction, bytes: bytes(), ...took }));
}

/** @param started `performance.now()` */
export function msSince(started: number): number {
  return Math.round(performance.now() - started);
}

/** The words in paths of the Drive API v3 and of OAuth endpoints. */
const PATH_WORDS = new Set(
  `about access_token apps auth changes code comments copy device download drive drives emptyTrash export files generateIds
   hide labels listLabels modifyLabels o oauth2 permissions replies revisions revoke startPageToken stop token trash
   unhide upload v1 v2 v3 v4 watch`.split(/\s+/),
);

/** @returns the path of a URL, with `*` for everything but the words of the API: it may be an ID or a secret */
export function withoutIds(url: string): string {
  const { pathname } = new URL(url);
  return pathname.replace(/[^/]+/g, (segment) => (PATH_WORDS.has(segment) ? segment : '*'));
}
