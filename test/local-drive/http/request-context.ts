import type { IncomingMessage } from 'node:http';
import { RecordedRequest } from './request-log';

/** What faults ask the handlers of one request to do; empty for a request without faults. */
export interface FaultEffects {
  /** Cut the connection after so many bytes of the request body. */
  resetRequestAfter?: number;
  /** Stop reading the request body after so many bytes until the promise resolves. */
  stallRequest?: { after: number; until: Promise<unknown> };
  /** The byte at this place of the content is stored changed. */
  corruptStoredAt?: number;
  /** The request body is read no faster. */
  bytesPerSecond?: number;
  /** A resumable upload stores no more than this of the request's bytes, and says so. */
  storeAtMost?: number;
  /** Leave out the `Range` of a 308. */
  omitRange?: boolean;
  /** A list page carries no more than this, and a nextPageToken for the rest. */
  pageLimit?: number;
  /** A refresh gives a new refresh token and ends the one it was made with. */
  rotateRefreshToken?: boolean;
  /** A list says that it may lack entries. */
  incompleteSearch?: boolean;
}

/** One request, with what is known of it beside its headers. */
export interface RequestContext {
  readonly recorded: RecordedRequest;
  readonly effects: FaultEffects;
  /** What the token's scopes open; known once the token is checked. */
  grantedSpaces: readonly ('drive' | 'appDataFolder')[];
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Attaches the exchange to its request; done once, when the request arrives. */
export function attachContext(request: IncomingMessage, now: number): RequestContext {
  const exchange: RequestContext = {
    recorded: new RecordedRequest(request, now),
    effects: {},
    grantedSpaces: [],
  };
  contexts.set(request, exchange);
  return exchange;
}

/** The exchange of a request. */
export function contextOf(request: IncomingMessage): RequestContext {
  return contexts.get(request) ?? attachContext(request, 0);
}
