/** What goes wrong: kinds of fault with their settings by chance, and the places where they can strike. */
import type { Fault } from '../local-drive';
import type { Interruption, OperationKind, Through } from './operations';
import { ANSWERS, BODIES, FILES, JSON_ANSWERS, type Place } from './places';
import type { Random } from './random';

export interface Given {
  random: Random;
  operation: OperationKind;
  /** Resolves when the run is over: until then nothing moves where something stalls. */
  over: Promise<void>;
  /** ms since 1970, of the service. */
  now: number;
  /** Another origin. */
  elsewhere: string;
  through: Through;
  /** Ends the operation that runs. */
  interrupt: (how: Interruption) => void;
  /** The same as soon as it waits to try again. */
  interruptWait: (how: Interruption) => void;
  /** Ends the access tokens that were given. */
  expireTokens: () => void;
}

type Plain<F> = F extends Fault ? Omit<F, 'match' | 'times'> : never;

export interface FaultKind {
  name: string;
  places: readonly Place[];
  make: (given: Given) => Plain<Fault>[];
  /** How often it strikes at most; once otherwise. */
  times?: number;
  /** What is rare because it takes long. */
  weight?: number;
  /** The half of the campaign that it is for; both otherwise. */
  through?: Through;
}

const kind = (
  name: string,
  places: readonly Place[],
  make: FaultKind['make'],
  more: Partial<FaultKind> = {},
): FaultKind => ({ name, places, make, ...more });
/** Something that happens when a request arrives; then it goes its way. */
const atRequest = (happens: () => void): Plain<Fault> => ({
  kind: 'delay',
  until: () => Promise.resolve(happens()),
});
const reason = (word: string, places = FILES, status?: number): FaultKind =>
  kind(status ? `${status} ${word}` : word, places, () => [
    { kind: 'error', reason: word, ...(status ? { status } : {}) },
  ]);
const answer = (
  name: string,
  places: Place[],
  status: number,
  body: string | object,
  headers = {},
): FaultKind => kind(name, places, () => [{ kind: 'response', status, body, headers }]);
const bytes = ({ random }: Given): number =>
  random.pick([0, 1, 7, 100, random.between(0, 3_000), random.between(0, 400_000)]);

export const FAULT_KINDS: readonly FaultKind[] = [
  reason('rateLimitExceeded'),
  reason('userRateLimitExceeded'),
  reason('rateLimitExceeded', FILES, 429),
  kind('429 with seconds to wait', FILES, ({ random }) => [
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
  kind('503 with too long a wait', FILES, () => [
    { kind: 'error', reason: 'backendError', status: 503, retryAfter: 3_600 },
  ]),
  reason('backendError', ['any']),
  answer('502 in HTML', ['any'], 502, '<html>bad gateway</html>'),
  reason('gatewayTimeout', ['any'], 504),
  reason('requestTimeout', FILES, 408),
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
  answer('403 without a reason', FILES, 403, ''),
  reason('notFound', ['one', 'media', 'copy', 'delete', 'patch']),
  reason('badRequest'),
  reason('authError'),
  kind('401 for ever', FILES, () => [{ kind: 'error', reason: 'authError' }], { times: Infinity }),
  kind('reset', ['any', 'token', ...FILES], () => [{ kind: 'reset' }]),
  kind('a burst of resets', ['any'], () => [{ kind: 'reset' }], { times: 4 }),
  kind('a break in the request', BODIES, (given) => [{ kind: 'resetRequest', bytes: bytes(given) }]),
  kind(
    'breaks in each request',
    BODIES,
    (given) => [{ kind: 'resetRequest', bytes: 200_000 + bytes(given) }],
    { times: 6 },
  ),
  kind('a break in the answer', ANSWERS, (given) => [{ kind: 'resetResponse', bytes: bytes(given) }]),
  kind(
    'breaks in each answer',
    ['media'],
    (given) => [{ kind: 'resetResponse', bytes: 1_000 + bytes(given) }],
    { times: 6 },
  ),
  kind('a lost reply', ['any', ...FILES, 'token'], () => [{ kind: 'lostResponse' }]),
  kind(
    'two lost replies',
    ['create', 'upload', 'session', 'copy', 'delete', 'patch'],
    () => [{ kind: 'lostResponse' }],
    { times: 2 },
  ),
  kind(
    'a request nobody reads',
    BODIES,
    (given) => [{ kind: 'stallRequest', bytes: bytes(given), until: given.over }],
    { weight: 0.3 },
  ),
  kind(
    'an answer that stops',
    ANSWERS,
    (given) => [{ kind: 'stallResponse', bytes: bytes(given), until: given.over }],
    { weight: 0.3 },
  ),
  kind('an answer that never comes', ['any'], ({ over }) => [{ kind: 'delay', until: over }], {
    weight: 0.3,
  }),
  kind('an answer cut short, length and all', ANSWERS, (given) => [
    { kind: 'truncate', bytes: bytes(given), length: 'short' },
  ]),
  kind('an answer of no length cut short', ANSWERS, (given) => [
    { kind: 'truncate', bytes: bytes(given), length: 'none' },
  ]),
  kind('a changed byte', ['media'], (given) => [{ kind: 'corrupt', at: bytes(given) }]),
  kind('a changed byte each time', ['media'], () => [{ kind: 'corrupt', at: 0 }], { times: Infinity }),
  answer('HTML with 200', JSON_ANSWERS, 200, '<html>sign in</html>'),
  answer('nothing with 200', JSON_ANSWERS, 200, ''),
  answer('JSON of wrong types', JSON_ANSWERS, 200, {
    id: 5,
    files: {},
    ids: 'x',
    user: 5,
    access_token: [],
    size: 5,
  }),
  answer('a packing that is none', JSON_ANSWERS, 200, '{}', { 'Content-Encoding': 'gzip' }),
  kind('JSON without end', ['about', 'list', 'one'], () => [{ kind: 'hugeBody', bytes: 34 * 1024 * 1024 }], {
    weight: 0.1,
  }),
  answer('headers of 20 kB', FILES, 200, '{}', { 'X-Large': 'x'.repeat(20_000) }),
  kind('a redirect to itself', ['about', 'list', 'one', 'media'], () => [
    { kind: 'redirect', location: '', status: 307 },
  ]),
  kind('a redirect elsewhere', FILES, ({ elsewhere }) => [{ kind: 'redirect', location: elsewhere }]),
  kind('a redirect in a circle', FILES, () => [{ kind: 'redirect', location: '/drive/v3/about' }], {
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
  kind('access tokens that end', FILES, ({ expireTokens }) => [atRequest(expireTokens)]),
  kind('a cancel', ['any', ...FILES], ({ interrupt }) => [atRequest(() => interrupt('cancel'))]),
  kind('a cancel during a wait', ['any'], ({ interruptWait }) => {
    interruptWait('cancel');
    return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
  }),
  kind('a redeploy', ['any', ...FILES], ({ interrupt }) => [atRequest(() => interrupt('redeploy'))], {
    through: 'nodes',
  }),
  kind(
    'a redeploy during a wait',
    ['any'],
    ({ interruptWait }) => {
      interruptWait('redeploy');
      return [{ kind: 'error', reason: 'backendError', status: 503, retryAfter: 20 }];
    },
    { through: 'nodes' },
  ),
  kind(
    'a part stored of each request',
    ['session'],
    (given) => [{ kind: 'partiallyStored', bytes: 262_144 + bytes(given) }],
    { times: 12 },
  ),
];
