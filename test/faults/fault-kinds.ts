/** What goes wrong: kinds of fault with their settings by chance, and the places where they can strike. */
import type { Fault } from '../local-drive';
import type { Interruption, OperationKind, Layer } from './operations';
import { RESPONSES, UPLOAD_REQUESTS, API_REQUESTS, JSON_RESPONSES, type RequestKind } from './request-kinds';
import type { Random } from '../support/random';

export interface FaultContext {
  random: Random;
  operation: OperationKind;
  /** Resolves when the run is over: until then nothing moves where something stalls. */
  stepEnd: Promise<void>;
  /** ms since 1970, of the service. */
  now: number;
  /** Another origin. */
  otherOriginUrl: string;
  layer: Layer;
  /** Ends the operation that runs. */
  interrupt: (how: Interruption) => void;
  /** The same as soon as it waits to try again. */
  interruptRetryWait: (how: Interruption) => void;
  /** Ends the access tokens that were given. */
  expireTokens: () => void;
}

type UnmatchedFault<F> = F extends Fault ? Omit<F, 'match' | 'times'> : never;

export interface FaultKind {
  name: string;
  requests: readonly RequestKind[];
  make: (given: FaultContext) => UnmatchedFault<Fault>[];
  /** How often it strikes at most; once otherwise. */
  times?: number;
  /** What is rare because it takes long. */
  probability?: number;
  /** The half of the campaign that it is for; both otherwise. */
  layer?: Layer;
}

const kind = (
  name: string,
  requests: readonly RequestKind[],
  make: FaultKind['make'],
  more: Partial<FaultKind> = {},
): FaultKind => ({ name, requests, make, ...more });
/** Something that happens when a request arrives; then it goes its way. */
const atRequest = (happens: () => void): UnmatchedFault<Fault> => ({
  kind: 'delay',
  until: () => Promise.resolve(happens()),
});
const reason = (word: string, places = API_REQUESTS, status?: number): FaultKind =>
  kind(status ? `${status} ${word}` : word, places, () => [
    { kind: 'error', reason: word, ...(status ? { status } : {}) },
  ]);
const response = (
  name: string,
  places: RequestKind[],
  status: number,
  body: string | object,
  headers = {},
): FaultKind => kind(name, places, () => [{ kind: 'response', status, body, headers }]);
const bytes = ({ random }: FaultContext): number =>
  random.pick([0, 1, 7, 100, random.between(0, 3_000), random.between(0, 400_000)]);

export const FAULT_KINDS: readonly FaultKind[] = [
  reason('rateLimitExceeded'),
  reason('userRateLimitExceeded'),
  reason('rateLimitExceeded', API_REQUESTS, 429),
  kind('429 with seconds to wait', API_REQUESTS, ({ random }) => [
    { kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: random.between(0, 40) },
  ]),
  kind('503 with a date to wait for', ['any'], ({ random, now }) => [
    {
      kind: 'error',
      reason: 'backendError',
      status: 503,
      retryAfter: new Date(now + random.between(0, 40_000)).toUTCString(),
    },
  ]),
  kind('503 with too long a wait', API_REQUESTS, () => [
    { kind: 'error', reason: 'backendError', status: 503, retryAfter: 3_600 },
  ]),
  reason('backendError', ['any']),
  response('502 in HTML', ['any'], 502, '<html>bad gateway</html>'),
  reason('gatewayTimeout', ['any'], 504),
  reason('requestTimeout', API_REQUESTS, 408),
  kind('a burst of 503', ['any'], () => [{ kind: 'error', reason: 'backendError', status: 503 }], {
    times: 5,
  }),
  kind('503 for ever', ['any'], () => [{ kind: 'error', reason: 'backendError', status: 503 }], {
    times: Infinity,
  }),
  reason('dailyLimitExceeded'),
  reason('storageQuotaExceeded', ['upload', 'create', 'copy', 'session']),
  reason('insufficientFilePermissions'),
  reason('appNotAuthorizedToFile', ['one', 'media', 'copy', 'delete', 'patch']),
  reason('cannotDownloadAbusiveFile', ['media']),
  response('403 without a reason', API_REQUESTS, 403, ''),
  reason('notFound', ['one', 'media', 'copy', 'delete', 'patch']),
  reason('badRequest'),
  reason('authError'),
  kind('401 for ever', API_REQUESTS, () => [{ kind: 'error', reason: 'authError' }], { times: Infinity }),
  kind('reset', ['any', 'token', ...API_REQUESTS], () => [{ kind: 'reset' }]),
  kind('a burst of resets', ['any'], () => [{ kind: 'reset' }], { times: 4 }),
  kind('a break in the request', UPLOAD_REQUESTS, (given) => [{ kind: 'resetRequest', bytes: bytes(given) }]),
  kind(
    'breaks in each request',
    UPLOAD_REQUESTS,
    (given) => [{ kind: 'resetRequest', bytes: 200_000 + bytes(given) }],
    { times: 6 },
  ),
  kind('a break in the answer', RESPONSES, (given) => [{ kind: 'resetResponse', bytes: bytes(given) }]),
  kind(
    'breaks in each answer',
    ['media'],
    (given) => [{ kind: 'resetResponse', bytes: 1_000 + bytes(given) }],
    { times: 6 },
  ),
  kind('a lost reply', ['any', ...API_REQUESTS, 'token'], () => [{ kind: 'lostResponse' }]),
  kind(
    'two lost replies',
    ['create', 'upload', 'session', 'copy', 'delete', 'patch'],
    () => [{ kind: 'lostResponse' }],
    { times: 2 },
  ),
  kind(
    'a request nobody reads',
    UPLOAD_REQUESTS,
    (given) => [{ kind: 'stallRequest', bytes: bytes(given), until: given.stepEnd }],
    { probability: 0.3 },
  ),
  kind(
    'an answer that stops',
    RESPONSES,
    (given) => [{ kind: 'stallResponse', bytes: bytes(given), until: given.stepEnd }],
    { probability: 0.3 },
  ),
  kind('an answer that never comes', ['any'], ({ stepEnd }) => [{ kind: 'delay', until: stepEnd }], {
    probability: 0.3,
  }),
  kind('an answer cut short, length and all', RESPONSES, (given) => [
    { kind: 'truncate', bytes: bytes(given), length: 'short' },
  ]),
  kind('an answer of no length cut short', RESPONSES, (given) => [
    { kind: 'truncate', bytes: bytes(given), length: 'none' },
  ]),
  kind('a changed byte', ['media'], (given) => [{ kind: 'corrupt', at: bytes(given) }]),
  kind('a changed byte each time', ['media'], () => [{ kind: 'corrupt', at: 0 }], { times: Infinity }),
  response('HTML with 200', JSON_RESPONSES, 200, '<html>sign in</html>'),
  response('nothing with 200', JSON_RESPONSES, 200, ''),
  response('JSON of wrong types', JSON_RESPONSES, 200, {
    id: 5,
    files: {},
    ids: 'x',
    user: 5,
    access_token: [],
    size: 5,
  }),
  response('a packing that is none', JSON_RESPONSES, 200, '{}', { 'Content-Encoding': 'gzip' }),
  kind('JSON without end', ['about', 'list', 'one'], () => [{ kind: 'hugeBody', bytes: 34 * 1024 * 1024 }], {
    probability: 0.1,
  }),
  response('headers of 20 kB', API_REQUESTS, 200, '{}', { 'X-Large': 'x'.repeat(20_000) }),
  kind('a redirect to itself', ['about', 'list', 'one', 'media'], () => [
    { kind: 'redirect', location: '', status: 307 },
  ]),
  kind('a redirect elsewhere', API_REQUESTS, ({ otherOriginUrl }) => [
    { kind: 'redirect', location: otherOriginUrl },
  ]),
  kind('a redirect in a circle', API_REQUESTS, () => [{ kind: 'redirect', location: '/drive/v3/about' }], {
    times: Infinity,
  }),
  kind('308 where none is meant', ['about', 'list', 'multipart', 'start', 'copy', 'moved', 'delete'], () => [
    { kind: 'response', status: 308 },
  ]),
  kind('a part stored', ['session'], (given) => [{ kind: 'partiallyStored', bytes: bytes(given) }]),
  kind('a part stored and not said', ['session'], (given) => [
    { kind: 'partiallyStored', bytes: 262_144 + bytes(given) },
    { kind: 'omitRange' },
  ]),
  kind('a session that is gone', ['session'], ({ random }) => [
    { kind: 'sessionGone', status: random.pick([404, 410] as const) },
  ]),
  kind('a short page', ['list'], ({ random }) => [{ kind: 'shortPage', items: random.between(0, 2) }]),
  kind('invalid_grant', ['token'], () => [{ kind: 'oauthError', error: 'invalid_grant' }]),
  kind('invalid_client', ['token'], () => [{ kind: 'oauthError', error: 'invalid_client', status: 401 }]),
  kind('tokens asked for too often', ['token'], () => [
    { kind: 'oauthError', error: 'slow_down', status: 403 },
  ]),
  kind('a new refresh token each time', ['token'], () => [{ kind: 'rotateRefreshToken' }], {
    times: Infinity,
  }),
  kind('a new refresh token that is lost', ['token'], () => [
    { kind: 'rotateRefreshToken' },
    { kind: 'lostResponse' },
  ]),
  kind('access tokens that end', API_REQUESTS, ({ expireTokens }) => [atRequest(expireTokens)]),
  kind('a cancel', ['any', ...API_REQUESTS], ({ interrupt }) => [atRequest(() => interrupt('cancel'))]),
  kind('a cancel during a wait', ['any'], ({ interruptRetryWait }) => {
    interruptRetryWait('cancel');
    return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
  }),
  kind('a redeploy', ['any', ...API_REQUESTS], ({ interrupt }) => [atRequest(() => interrupt('redeploy'))], {
    layer: 'nodes',
  }),
  kind(
    'a redeploy during a wait',
    ['any'],
    ({ interruptRetryWait }) => {
      interruptRetryWait('redeploy');
      return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
    },
    { layer: 'nodes' },
  ),
  kind(
    'a part stored of each request',
    ['session'],
    (given) => [{ kind: 'partiallyStored', bytes: 262_144 + bytes(given) }],
    { times: 12 },
  ),
];
