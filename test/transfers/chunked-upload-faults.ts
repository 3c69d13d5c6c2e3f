/** What goes wrong with uploads that go in parts, because something on the way takes no long requests. */
import type { Fault, FaultMatch, RecordedRequest } from '../local-drive';
import { type FaultCase, faultCase } from './fault-case';

/** A proxy's limit: above some 5 MB there is a first part, several in the middle, and a last one. */
const MAX_REQUEST = 1024 * 1024;

const BYTES: FaultMatch = {
  method: 'PUT',
  when: ({ headers }) => /^bytes \d/.test(headers['content-range'] ?? ''),
};
const LARGE_REQUEST: FaultMatch = {
  method: 'PUT',
  when: ({ headers }) => Number(headers['content-length']) > MAX_REQUEST,
};
const always = { times: Infinity };
const LIMIT: Fault = {
  kind: 'error',
  reason: 'uploadTooLarge',
  status: 413,
  match: LARGE_REQUEST,
  ...always,
};

type ChunkPosition = 'first' | 'middle' | 'last';

function isChunk(place: ChunkPosition, { headers }: RecordedRequest): boolean {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '');
  const [start = 0, end = 0, total = 0] = (range?.slice(1) ?? []).map(Number);
  if (!range || end - start >= MAX_REQUEST) return false;
  const isFirst = start === 0;
  const isLast = end + 1 === total;
  return place === (isFirst ? 'first' : isLast ? 'last' : 'middle');
}

/** By what happens: the fault at a part. */
const FAULTS: Readonly<Record<string, (match: FaultMatch) => Fault[]>> = {
  cut: (match) => [{ kind: 'resetRequest', bytes: 100_000, match }],
  'lost reply': (match) => [{ kind: 'lostResponse', match }],
  'one byte stored': (match) => [{ kind: 'partiallyStored', bytes: 1, match }],
  'nothing stored, and the 308 has no Range': (match) => [
    { kind: 'partiallyStored', bytes: 0, match },
    { kind: 'omitRange', match },
  ],
  'the session is gone (404)': (match) => [{ kind: 'sessionGone', match }],
  'the session is gone (410)': (match) => [{ kind: 'sessionGone', status: 410, match }],
  '401': (match) => [{ kind: 'error', reason: 'authError', match }],
  'five of 503': (match) => [{ kind: 'error', reason: 'backendError', status: 503, match, times: 5 }],
};

const inSession = { appliesTo: (size: number) => size > 5_000_000 };
const places: readonly ChunkPosition[] = ['first', 'middle', 'last'];

export const CHUNKED_UPLOAD_FAULTS: FaultCase[] = [
  faultCase(
    'two cuts that leave nothing: in parts from then on',
    () => [
      { kind: 'resetRequest', bytes: 1_500_000, match: BYTES, times: 2 },
      { kind: 'partiallyStored', bytes: 0, match: BYTES, times: 2 },
    ],
    inSession,
  ),
  faultCase(
    'each request above 1 MiB is cut and leaves nothing: in parts',
    () => [
      { kind: 'resetRequest', bytes: 900_000, match: LARGE_REQUEST, ...always },
      { kind: 'partiallyStored', bytes: 0, match: LARGE_REQUEST, ...always },
    ],
    inSession,
  ),
  faultCase(
    'each request above 1 MiB is answered 504 and leaves nothing: in parts',
    () => [{ kind: 'error', reason: 'backendError', status: 504, match: LARGE_REQUEST, ...always }],
    inSession,
  ),
  faultCase(
    'each request is refused for its length',
    () => [{ kind: 'error', reason: 'uploadTooLarge', status: 413, match: BYTES, ...always }],
    { ...inSession, expectedError: 'bad_response' },
  ),
  faultCase('no request above 1 MiB is taken: in parts', () => [LIMIT], inSession),
  ...places.flatMap((place) =>
    Object.entries(FAULTS).map(([name, faults]) =>
      faultCase(
        `${name}: the ${place} part`,
        () => [LIMIT, ...faults({ method: 'PUT', when: (request) => isChunk(place, request) })],
        { ...inSession, isLongRunOnly: name !== 'lost reply' },
      ),
    ),
  ),
];
