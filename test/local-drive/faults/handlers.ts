import type { Request, Response } from 'express';
import type { FaultEffects } from '../http/request-context';
import { queryOf } from '../http/query-parameters';
import type { UploadSessions } from '../upload/upload-sessions';
import { sendError, sendOAuthError, sendResponse, sendHugeBody } from './responses';
import {
  corruptResponse,
  resetResponse,
  loseResponse,
  truncateResponse,
  stallResponse,
} from './response-body';
import { throttleResponse } from './throttle-response';

/** A promise that a test resolves, or something that makes one when the fault strikes. */
export type Until = Promise<unknown> | (() => Promise<unknown>);

/** Every kind of fault with its settings. */
export interface FaultSettings {
  /** An error of the files interface by its reason; the status follows from the reason unless given. */
  error: { reason: string; status?: number; message?: string; retryAfter?: number | string };
  /** An error of the token, device or revoke endpoint, e.g. a grant that was revoked: `invalid_grant`. */
  oauthError: { error: string; status?: number; description?: string };
  /** Any answer: HTML of a proxy, something that is no JSON, a member of the wrong type, nothing at all. */
  response: { status?: number; headers?: Record<string, string>; body?: string | object };
  /** A JSON text of this size. */
  hugeBody: { bytes: number };
  redirect: { location: string; status?: number };
  headers: { headers: Record<string, string> };
  /** Waits before the request is handled: for a promise or some milliseconds. */
  delay: { until?: Until; ms?: number };
  /** The connection is reset before the request is handled. */
  reset: object;
  /** The connection breaks after so many bytes of the request body; they are handled. */
  resetRequest: { bytes: number };
  /** Nobody reads the request body beyond so many bytes until the promise resolves. */
  stallRequest: { bytes: number; until: Until };
  /** The connection breaks after so many bytes of the response body. */
  resetResponse: { bytes: number };
  /** The response body silently ends early: a Content-Length that fits what is sent, or none. */
  truncate: { bytes: number; length?: 'short' | 'none' };
  /** One byte of the response body arrives changed. */
  corrupt: { at: number };
  /** One byte of an upload's content is stored changed; `at` counts in the whole content. */
  corruptStored: { at: number };
  /** Both bodies move no faster than this. */
  throttle: { bytesPerSecond: number };
  stallResponse: { bytes: number; until: Until };
  /** The work is done, the answer never arrives. */
  lostResponse: object;
  /** A resumable upload stores only so many bytes of the request, and says so. */
  partiallyStored: { bytes: number };
  /** A 308 without Range, although something is stored. */
  omitRange: object;
  /** The upload session of the request is removed: 404, or 410. */
  sessionGone: { status?: 404 | 410 };
  /** A list page with fewer items (0 too) and a nextPageToken for the rest. */
  shortPage: { items: number };
  incompleteSearch: object;
  /** A refresh gives a new refresh token and ends the one it was made with, as with `rotateRefreshTokens`. */
  rotateRefreshToken: object;
}

export interface FaultTarget {
  request: Request;
  response: Response;
  effects: FaultEffects;
  sessions: UploadSessions | undefined;
}

/** Whether the request has its answer, or goes on to the endpoint. */
type FaultOutcome = 'answered' | 'continue';

type FaultHandlers = {
  [Kind in keyof FaultSettings]: (
    settings: FaultSettings[Kind],
    struck: FaultTarget,
  ) => FaultOutcome | Promise<FaultOutcome>;
};

export const FAULT_HANDLERS: FaultHandlers = {
  error: (settings, { response }) => sendError(response, settings),
  oauthError: (settings, { response }) => sendOAuthError(response, settings),
  response: (settings, { response }) => sendResponse(response, settings),
  hugeBody: ({ bytes }, { response }) => sendHugeBody(response, bytes),
  redirect: ({ location, status = 302 }, { response }) =>
    sendResponse(response, { status, headers: { Location: location }, body: '' }),
  headers: ({ headers }, { response }) => proceed(() => response.set(headers)),
  delay: async ({ until, ms = 0 }): Promise<FaultOutcome> => {
    await (until ? resolveUntil(until) : new Promise((resolve) => setTimeout(resolve, ms)));
    return 'continue';
  },
  reset: (_settings, { request }) => {
    request.socket.resetAndDestroy();
    return 'answered';
  },
  resetRequest: ({ bytes }, { effects }) => proceed(() => (effects.resetRequestAfter = bytes)),
  stallRequest: ({ bytes, until }, { effects }) =>
    proceed(() => (effects.stallRequest = { after: bytes, until: resolveUntil(until) })),
  resetResponse: ({ bytes }, { response }) => proceed(() => resetResponse(response, bytes)),
  truncate: ({ bytes, length = 'short' }, { response }) =>
    proceed(() => truncateResponse(response, bytes, length)),
  corrupt: ({ at }, { response }) => proceed(() => corruptResponse(response, at)),
  corruptStored: ({ at }, { effects }) => proceed(() => (effects.corruptStoredAt = at)),
  throttle: ({ bytesPerSecond }, { response, effects }) =>
    proceed(() => {
      effects.bytesPerSecond = bytesPerSecond;
      throttleResponse(response, bytesPerSecond);
    }),
  stallResponse: ({ bytes, until }, { response }) =>
    proceed(() => stallResponse(response, bytes, resolveUntil(until))),
  lostResponse: (_settings, { response }) => proceed(() => loseResponse(response)),
  partiallyStored: ({ bytes }, { effects }) => proceed(() => (effects.storeAtMost = bytes)),
  omitRange: (_settings, { effects }) => proceed(() => (effects.omitRange = true)),
  sessionGone: async ({ status = 404 }, { request, response, sessions }) => {
    await sessions?.remove(queryOf(request).get('upload_id') ?? '');
    return sendError(response, { reason: status === 404 ? 'notFound' : 'gone', status });
  },
  shortPage: ({ items }, { effects }) => proceed(() => (effects.pageLimit = items)),
  incompleteSearch: (_settings, { effects }) => proceed(() => (effects.incompleteSearch = true)),
  rotateRefreshToken: (_settings, { effects }) => proceed(() => (effects.rotateRefreshToken = true)),
};

function proceed(prepare: () => unknown): FaultOutcome {
  prepare();
  return 'continue';
}

function resolveUntil(until: Until): Promise<unknown> {
  return typeof until === 'function' ? until() : until;
}
