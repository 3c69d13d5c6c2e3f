/** Faults of chunked uploads, which are used if a proxy rejects large requests. */
import type { Fault, FaultMatch, RecordedRequest } from '../local-drive';
import { type FaultCase, faultCase } from './fault-case';

/** The size limit of a proxy. Contents above 5 MB have a first chunk, several middle ones and a last one. */
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

function isChunk(position: ChunkPosition, { headers }: RecordedRequest): boolean {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '');
  const [start = 0, end = 0, total = 0] = (range?.slice(1) ?? []).map(Number);
  if (!range || end - start >= MAX_REQUEST) return false;
  const isFirst = start === 0;
  const isLast = end + 1 === total;
  return position === (isFirst ? 'first' : isLast ? 'last' : 'middle');
}

/** Faults of a chunk by name. */
const FAULTS: Readonly<Record<string, (match: FaultMatch) => Fault[]>> = {
  'connection closed': (match) => [{ kind: 'resetRequest', bytes: 100_000, match }],
  'lost response': (match) => [{ kind: 'lostResponse', match }],
  'one byte stored': (match) => [{ kind: 'partiallyStored', bytes: 1, match }],
  'nothing stored, 308 without Range': (match) => [
    { kind: 'partiallyStored', bytes: 0, match },
    { kind: 'omitRange', match },
  ],
  'session gone (404)': (match) => [{ kind: 'sessionGone', match }],
  'session gone (410)': (match) => [{ kind: 'sessionGone', status: 410, match }],
  '401': (match) => [{ kind: 'error', reason: 'authError', match }],
  'five times 503': (match) => [{ kind: 'error', reason: 'backendError', status: 503, match, times: 5 }],
};

const inSession = { appliesTo: (size: number) => size > 5_000_000 };
const POSITIONS: readonly ChunkPosition[] = ['first', 'middle', 'last'];

export const CHUNKED_UPLOAD_FAULTS: FaultCase[] = [
  faultCase(
    'two connections closed with nothing stored: continues in chunks',
    () => [
      { kind: 'resetRequest', bytes: 1_500_000, match: BYTES, times: 2 },
      { kind: 'partiallyStored', bytes: 0, match: BYTES, times: 2 },
    ],
    inSession,
  ),
  faultCase(
    'connection closed in each request above 1 MiB, nothing stored: continues in chunks',
    () => [
      { kind: 'resetRequest', bytes: 900_000, match: LARGE_REQUEST, ...always },
      { kind: 'partiallyStored', bytes: 0, match: LARGE_REQUEST, ...always },
    ],
    inSession,
  ),
  faultCase(
    '504 for each request above 1 MiB, nothing stored: continues in chunks',
    () => [{ kind: 'error', reason: 'backendError', status: 504, match: LARGE_REQUEST, ...always }],
    inSession,
  ),
  faultCase(
    '413 for each request',
    () => [{ kind: 'error', reason: 'uploadTooLarge', status: 413, match: BYTES, ...always }],
    { ...inSession, expectedError: 'bad_response' },
  ),
  faultCase('413 for each request above 1 MiB: continues in chunks', () => [LIMIT], inSession),
  ...POSITIONS.flatMap((position) =>
    Object.entries(FAULTS).map(([name, faults]) =>
      faultCase(
        `${name}: ${position} chunk`,
        () => [LIMIT, ...faults({ method: 'PUT', when: (request) => isChunk(position, request) })],
        { ...inSession, isLongRunOnly: name !== 'lost response' },
      ),
    ),
  ),
];
