import type { IncomingMessage } from 'node:http';
import { RecordedRequest } from './request-log';

/** @returns the files to send instead of those of a list page */
export type EditPage = (files: Record<string, unknown>[]) => Record<string, unknown>[];

/** What faults change in the handling of one request; empty without faults. */
export interface FaultEffects {
  /** Close the connection after this many bytes of the request body. */
  resetRequestAfter?: number;
  /** Stop reading the request body after this many bytes until the promise resolves. */
  stallRequest?: { after: number; until: Promise<unknown> };
  /** Offset of the byte that is stored corrupted. */
  corruptStoredAt?: number;
  /** Rate at which the request body is read. */
  bytesPerSecond?: number;
  /** A resumable upload stores and acknowledges at most this many bytes of the request. */
  storeAtMost?: number;
  /** Send a 308 without `Range`. */
  omitRange?: boolean;
  /** Maximum number of items on a list page; a nextPageToken leads to the rest. */
  pageLimit?: number;
  /** A refresh issues a new refresh token and revokes the old one. */
  rotateRefreshToken?: boolean;
  /** A list reports `incompleteSearch`. */
  incompleteSearch?: boolean;
  /** A list lacks what was created less than this many ms ago. */
  lateBy?: number;
  editPage?: EditPage;
}

/** What handlers need to know about a request. */
export interface RequestContext {
  readonly recorded: RecordedRequest;
  readonly effects: FaultEffects;
  /** The spaces that the token's scopes give access to; set once the token has been checked. */
  grantedSpaces: readonly ('drive' | 'appDataFolder')[];
  /** Whether the token's scopes allow listing shared drives; set with `grantedSpaces`. */
  grantsSharedDrives: boolean;
  /** Address of the service account that sent it; undefined for the user. */
  account?: string | undefined;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** Creates the context when a request arrives. */
export function attachContext(request: IncomingMessage, now: number): RequestContext {
  const context: RequestContext = {
    recorded: new RecordedRequest(request, now),
    effects: {},
    grantedSpaces: [],
    grantsSharedDrives: false,
  };
  contexts.set(request, context);
  return context;
}

/** The context of a request. */
export function contextOf(request: IncomingMessage): RequestContext {
  return contexts.get(request) ?? attachContext(request, 0);
}
