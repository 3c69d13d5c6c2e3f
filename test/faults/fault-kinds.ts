/** The kinds of faults with random settings, and the requests to which they apply. */
import type { Fault } from '../local-drive';
import type { Interruption, OperationKind, Layer } from './operations';
import { RESPONSES, UPLOAD_REQUESTS, API_REQUESTS, JSON_RESPONSES, type RequestKind } from './request-kinds';
import type { Random } from '../support/random';

export interface FaultContext {
  random: Random;
  operation: OperationKind;
  /** Resolves at the end of the step; stalled requests wait for it. */
  stepEnd: Promise<void>;
  /** Milliseconds since 1970, by the clock of the service. */
  now: number;
  /** URL of another origin. */
  otherOriginUrl: string;
  layer: Layer;
  /** Interrupts the current operation. */
  interrupt: (how: Interruption) => void;
  /** Interrupts the current operation as soon as it waits for a retry. */
  interruptRetryWait: (how: Interruption) => void;
  /** Expires all access tokens. */
  expireTokens: () => void;
}

type UnmatchedFault<F> = F extends Fault ? Omit<F, 'match' | 'times'> : never;

export interface FaultKind {
  name: string;
  requests: readonly RequestKind[];
  make: (context: FaultContext) => UnmatchedFault<Fault>[];
  /** How often it is applied; once by default. */
  times?: number;
  /** Below 1 for faults that take long. */
  probability?: number;
  /** The layer it applies to; both by default. */
  layer?: Layer;
}

const kind = (
  name: string,
  requests: readonly RequestKind[],
  make: FaultKind['make'],
  options: Partial<FaultKind> = {},
): FaultKind => ({ name, requests, make, ...options });
/** Calls a function when a request arrives, and continues normally. */
const atRequest = (action: () => void): UnmatchedFault<Fault> => ({
  kind: 'delay',
  until: () => Promise.resolve(action()),
});
const reason = (word: string, requests = API_REQUESTS, status?: number): FaultKind =>
  kind(status ? `${status} ${word}` : word, requests, () => [
    { kind: 'error', reason: word, ...(status ? { status } : {}) },
  ]);
const response = (
  name: string,
  requests: RequestKind[],
  status: number,
  body: string | object,
  headers = {},
): FaultKind => kind(name, requests, () => [{ kind: 'response', status, body, headers }]);
const bytes = ({ random }: FaultContext): number =>
  random.pick([0, 1, 7, 100, random.between(0, 3_000), random.between(0, 400_000)]);

export const FAULT_KINDS: readonly FaultKind[] = [
  reason('rateLimitExceeded'),
  reason('userRateLimitExceeded'),
  reason('rateLimitExceeded', API_REQUESTS, 429),
  kind('429 with Retry-After in seconds', API_REQUESTS, ({ random }) => [
    { kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: random.between(0, 40) },
  ]),
  kind('503 with a Retry-After date', ['any'], ({ random, now }) => [
    {
      kind: 'error',
      reason: 'backendError',
      status: 503,
      retryAfter: new Date(now + random.between(0, 40_000)).toUTCString(),
    },
  ]),
  kind('503 with a long Retry-After', API_REQUESTS, () => [
    { kind: 'error', reason: 'backendError', status: 503, retryAfter: 3_600 },
  ]),
  reason('backendError', ['any']),
  response('502 with HTML', ['any'], 502, '<html>bad gateway</html>'),
  reason('gatewayTimeout', ['any'], 504),
  reason('requestTimeout', API_REQUESTS, 408),
  kind('several 503', ['any'], () => [{ kind: 'error', reason: 'backendError', status: 503 }], {
    times: 5,
  }),
  kind('503 every time', ['any'], () => [{ kind: 'error', reason: 'backendError', status: 503 }], {
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
  kind('401 every time', API_REQUESTS, () => [{ kind: 'error', reason: 'authError' }], { times: Infinity }),
  kind('connection reset', ['any', 'token', ...API_REQUESTS], () => [{ kind: 'reset' }]),
  kind('several connection resets', ['any'], () => [{ kind: 'reset' }], { times: 4 }),
  kind('connection closed in a request', UPLOAD_REQUESTS, (context) => [
    { kind: 'resetRequest', bytes: bytes(context) },
  ]),
  kind(
    'connection closed in each request',
    UPLOAD_REQUESTS,
    (context) => [{ kind: 'resetRequest', bytes: 200_000 + bytes(context) }],
    { times: 6 },
  ),
  kind('connection closed in a response', RESPONSES, (context) => [
    { kind: 'resetResponse', bytes: bytes(context) },
  ]),
  kind(
    'connection closed in each response',
    ['media'],
    (context) => [{ kind: 'resetResponse', bytes: 1_000 + bytes(context) }],
    { times: 6 },
  ),
  kind('lost response', ['any', ...API_REQUESTS, 'token'], () => [{ kind: 'lostResponse' }]),
  kind(
    'two lost responses',
    ['create', 'upload', 'session', 'copy', 'delete', 'patch'],
    () => [{ kind: 'lostResponse' }],
    { times: 2 },
  ),
  kind(
    'stalled request',
    UPLOAD_REQUESTS,
    (context) => [{ kind: 'stallRequest', bytes: bytes(context), until: context.stepEnd }],
    { probability: 0.3 },
  ),
  kind(
    'stalled response',
    RESPONSES,
    (context) => [{ kind: 'stallResponse', bytes: bytes(context), until: context.stepEnd }],
    { probability: 0.3 },
  ),
  kind('no response', ['any'], ({ stepEnd }) => [{ kind: 'delay', until: stepEnd }], {
    probability: 0.3,
  }),
  kind('truncated response with matching Content-Length', RESPONSES, (context) => [
    { kind: 'truncate', bytes: bytes(context), length: 'short' },
  ]),
  kind('truncated response without Content-Length', RESPONSES, (context) => [
    { kind: 'truncate', bytes: bytes(context), length: 'none' },
  ]),
  kind('corrupt byte', ['media'], (context) => [{ kind: 'corrupt', at: bytes(context) }]),
  kind('corrupt byte every time', ['media'], () => [{ kind: 'corrupt', at: 0 }], { times: Infinity }),
  response('HTML with 200', JSON_RESPONSES, 200, '<html>sign in</html>'),
  response('empty body with 200', JSON_RESPONSES, 200, ''),
  response('JSON with wrong types', JSON_RESPONSES, 200, {
    id: 5,
    files: {},
    ids: 'x',
    user: 5,
    access_token: [],
    size: 5,
  }),
  response('invalid Content-Encoding', JSON_RESPONSES, 200, '{}', { 'Content-Encoding': 'gzip' }),
  kind('huge JSON', ['about', 'list', 'one'], () => [{ kind: 'hugeBody', bytes: 34 * 1024 * 1024 }], {
    probability: 0.1,
  }),
  response('headers of 20 kB', API_REQUESTS, 200, '{}', { 'X-Large': 'x'.repeat(20_000) }),
  kind('a redirect to itself', ['about', 'list', 'one', 'media'], () => [
    { kind: 'redirect', location: '', status: 307 },
  ]),
  kind('a redirect to another origin', API_REQUESTS, ({ otherOriginUrl }) => [
    { kind: 'redirect', location: otherOriginUrl },
  ]),
  kind('a redirect loop', API_REQUESTS, () => [{ kind: 'redirect', location: '/drive/v3/about' }], {
    times: Infinity,
  }),
  kind('unexpected 308', ['about', 'list', 'multipart', 'start', 'copy', 'moved', 'delete'], () => [
    { kind: 'response', status: 308 },
  ]),
  kind('partially stored', ['session'], (context) => [{ kind: 'partiallyStored', bytes: bytes(context) }]),
  kind('partially stored, 308 without Range', ['session'], (context) => [
    { kind: 'partiallyStored', bytes: 262_144 + bytes(context) },
    { kind: 'omitRange' },
  ]),
  kind('session gone', ['session'], ({ random }) => [
    { kind: 'sessionGone', status: random.pick([404, 410] as const) },
  ]),
  kind('a short page', ['list'], ({ random }) => [{ kind: 'shortPage', items: random.between(0, 2) }]),
  kind('invalid_grant', ['token'], () => [{ kind: 'oauthError', error: 'invalid_grant' }]),
  kind('invalid_client', ['token'], () => [{ kind: 'oauthError', error: 'invalid_client', status: 401 }]),
  kind('slow_down from the token endpoint', ['token'], () => [
    { kind: 'oauthError', error: 'slow_down', status: 403 },
  ]),
  kind('rotated refresh token', ['token'], () => [{ kind: 'rotateRefreshToken' }], {
    times: Infinity,
  }),
  kind('lost rotated refresh token', ['token'], () => [
    { kind: 'rotateRefreshToken' },
    { kind: 'lostResponse' },
  ]),
  kind('expired access tokens', API_REQUESTS, ({ expireTokens }) => [atRequest(expireTokens)]),
  kind('cancel', ['any', ...API_REQUESTS], ({ interrupt }) => [atRequest(() => interrupt('cancel'))]),
  kind('cancel during a retry wait', ['any'], ({ interruptRetryWait }) => {
    interruptRetryWait('cancel');
    return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
  }),
  kind('redeploy', ['any', ...API_REQUESTS], ({ interrupt }) => [atRequest(() => interrupt('redeploy'))], {
    layer: 'nodes',
  }),
  kind(
    'redeploy during a retry wait',
    ['any'],
    ({ interruptRetryWait }) => {
      interruptRetryWait('redeploy');
      return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
    },
    { layer: 'nodes' },
  ),
  kind(
    'partially stored every time',
    ['session'],
    (context) => [{ kind: 'partiallyStored', bytes: 262_144 + bytes(context) }],
    { times: 12 },
  ),
];
