import type { Request, Response } from 'express';
import type { EditPage, FaultEffects } from '../http/request-context';
import { queryOf } from '../http/query-parameters';
import type { UploadSessions } from '../upload/upload-sessions';
import { sendError, sendOAuthError, sendResponse, sendHugeBody } from './responses';
import {
  corruptResponse,
  resetResponse,
  loseResponse,
  truncateResponse,
  stallResponse,
  throttleResponse,
} from './response-body';

/** A promise resolved by the test, or a function that creates it when the fault is applied. */
export type Until = Promise<unknown> | (() => Promise<unknown>);

/** All kinds of faults with their settings. */
export interface FaultSettings {
  /** A Drive API error. `status` defaults to the usual one of the reason. */
  error: { reason: string; status?: number; message?: string; retryAfter?: number | string };
  /** An OAuth error, such as `invalid_grant` for a revoked grant. */
  oauthError: { error: string; status?: number; description?: string };
  /** Any response: HTML from a proxy, invalid JSON, wrong types, an empty body. */
  response: { status?: number; headers?: Record<string, string>; body?: string | object };
  /** A JSON string of this size. */
  hugeBody: { bytes: number };
  redirect: { location: string; status?: number };
  headers: { headers: Record<string, string> };
  /** Waits for a promise or some milliseconds before the request is handled. */
  delay: { until?: Until; ms?: number };
  /** The connection is reset before the request is handled. */
  reset: object;
  /** The connection closes after this many bytes of the request body, which are still processed. */
  resetRequest: { bytes: number };
  /** The service stops reading the request body after this many bytes until the promise resolves. */
  stallRequest: { bytes: number; until: Until };
  /** The connection closes after this many bytes of the response body. */
  resetResponse: { bytes: number };
  /** The response body ends early without an error: with a matching Content-Length, or without one. */
  truncate: { bytes: number; length?: 'short' | 'none' };
  /** The byte at this offset of the response body is inverted. */
  corrupt: { at: number };
  /** One byte of an upload is stored inverted; `at` is its offset in the whole content. */
  corruptStored: { at: number };
  /** Limits the rate of both bodies. */
  throttle: { bytesPerSecond: number };
  stallResponse: { bytes: number; until: Until };
  /** The request is processed, but the connection closes before the response. */
  lostResponse: object;
  /** A resumable upload stores and acknowledges only this many bytes of the request. */
  partiallyStored: { bytes: number };
  /** A 308 without Range, although bytes are stored. */
  omitRange: object;
  /** The upload session of the request is deleted; the response is 404 or 410. */
  sessionGone: { status?: 404 | 410 };
  /** A list page with at most this many items (0 is possible) and a nextPageToken for the rest. */
  shortPage: { items: number };
  incompleteSearch: object;
  /** A list without what was created less than this many ms ago. */
  lateList: { ms: number };
  /** Changes the files of a list page: entries without members, or again on the next page. */
  editPage: { edit: EditPage };
  /** A refresh issues a new refresh token and revokes the old one, as with `rotateRefreshTokens`. */
  rotateRefreshToken: object;
}

/** The request to which a fault is applied. */
export interface FaultTarget {
  request: Request;
  response: Response;
  effects: FaultEffects;
  sessions: UploadSessions | undefined;
}

/** Whether the fault sent the response, or the request continues to its handler. */
type FaultOutcome = 'responded' | 'continue';

type FaultHandlers = {
  [Kind in keyof FaultSettings]: (
    settings: FaultSettings[Kind],
    target: FaultTarget,
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
    return 'responded';
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
  editPage: ({ edit }, { effects }) => proceed(() => (effects.editPage = edit)),
  lateList: ({ ms }, { effects }) => proceed(() => (effects.lateBy = ms)),
  rotateRefreshToken: (_settings, { effects }) => proceed(() => (effects.rotateRefreshToken = true)),
};

function proceed(prepare: () => unknown): FaultOutcome {
  prepare();
  return 'continue';
}

function resolveUntil(until: Until): Promise<unknown> {
  return typeof until === 'function' ? until() : until;
}
