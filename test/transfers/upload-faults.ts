/** Faults of uploads. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import type { Fault, FaultMatch } from '../local-drive';
import { CHUNKED_UPLOAD_FAULTS } from './chunked-upload-faults';
import { type FaultCase, type TransferSubject, atEachPosition, serviceErrors, faultCase } from './fault-case';

/** Contents up to this size are uploaded in one request, larger ones in an upload session. */
const MAX_MULTIPART = 5_000_000;
const inOneRequest = (size: number): boolean => size <= MAX_MULTIPART;
const inSession = (size: number): boolean => size > MAX_MULTIPART;

const IDS: FaultMatch = { path: /generateIds$/ };
const MULTIPART_REQUEST: FaultMatch = { query: /uploadType=multipart/ };
const START: FaultMatch = { query: /^(?!.*upload_id)uploadType=resumable/ };
const BYTES: FaultMatch = { method: 'PUT', when: ({ headers }) => isRange(headers['content-range']) };
const STATUS: FaultMatch = { method: 'PUT', when: ({ headers }) => !isRange(headers['content-range']) };
/** All requests with content. */
const CONTENT: FaultMatch = {
  path: /^\/upload/,
  when: ({ query, headers }) => query.includes('multipart') || isRange(headers['content-range']),
};

function isRange(header: string | undefined): boolean {
  return /^bytes \d/.test(header ?? '');
}

/** Makes the client send a status query. */
const CUT: Fault = { kind: 'resetRequest', bytes: 1_000_000, match: BYTES };
const session = { appliesTo: inSession };

const interrupted: FaultCase[] = [
  ...atEachPosition('connection closed at #', (bytes) => [{ kind: 'resetRequest', bytes, match: CONTENT }]),
  faultCase(
    'connection closed after the last byte',
    ({ size }) => [{ kind: 'resetRequest', bytes: size, match: CONTENT }],
    {
      appliesTo: (size) => size > 0,
    },
  ),
  faultCase(
    'connection closed at byte 200,000 in six requests',
    () => [{ kind: 'resetRequest', bytes: 200_000, match: CONTENT, times: 6 }],
    { appliesTo: (size) => size > 2_000_000 },
  ),
];

const stored: FaultCase[] = [
  ...atEachPosition('stored up to #', (bytes) => [{ kind: 'partiallyStored', bytes, match: BYTES }], session),
  ...atEachPosition(
    'stored up to #, 308 without Range',
    (bytes) => [
      { kind: 'partiallyStored', bytes, match: BYTES },
      { kind: 'omitRange', match: BYTES },
    ],
    session,
  ),
  faultCase(
    'nothing stored every time',
    () => [{ kind: 'partiallyStored', bytes: 0, match: BYTES, times: Infinity }],
    {
      ...session,
      expectedError: 'service_unavailable',
    },
  ),
];

const gone = ([404, 410] as const).flatMap((status): FaultCase[] => {
  const fault = (options: object): Fault => ({ kind: 'sessionGone', status, match: BYTES, ...options });
  const options = { ...session, isLongRunOnly: status === 410 };
  return [
    faultCase(`${status} for the first PUT`, () => [fault({})], session),
    faultCase(`${status} for the second PUT`, () => [CUT, fault({ match: { ...BYTES, nth: 2 } })], options),
    faultCase(`${status} for the status query`, () => [CUT, fault({ match: STATUS })], options),
    faultCase(
      `${status} for the status query after a lost last response`,
      () => [{ kind: 'lostResponse', match: BYTES }, fault({ match: STATUS })],
      options,
    ),
    faultCase(`${status} for the first PUT every time`, () => [fault({ times: Infinity })], {
      ...options,
      expectedError: 'service_unavailable',
    }),
  ];
});

const truncatedResponses: FaultCase[] = (['short', 'none'] as const).map((length) =>
  faultCase(
    `last response truncated ${length === 'short' ? 'with a matching' : 'without'} Content-Length`,
    () => [{ kind: 'truncate', bytes: 20, length, match: CONTENT }],
  ),
);

const corrupted: FaultCase[] = [
  faultCase(
    'one byte stored corrupted',
    ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT }],
    {
      appliesTo: (size) => size > 0,
    },
  ),
  faultCase(
    'one byte stored corrupted every time',
    ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT, times: Infinity }],
    { appliesTo: (size) => size > 0, expectedError: 'checksum_mismatch' },
  ),
  faultCase(
    'storage quota exceeded',
    () => [{ kind: 'error', reason: 'storageQuotaExceeded', match: CONTENT }],
    {
      expectedError: 'quota_exceeded',
    },
  ),
];

export const UPLOAD_FAULTS: FaultCase[] = [
  faultCase('no fault', () => []),
  ...interrupted,
  ...stored,
  ...gone,
  ...truncatedResponses,
  ...corrupted,
  ...CHUNKED_UPLOAD_FAULTS,
  ...serviceErrors({ 'id request': IDS }, { appliesTo: inOneRequest }),
  ...serviceErrors({ 'multipart upload': MULTIPART_REQUEST }, { appliesTo: inOneRequest }),
  ...serviceErrors({ 'session start': START, PUT: BYTES }, session),
  ...serviceErrors({ 'status query': STATUS }, session).map((each) => ({
    ...each,
    faults: (subject: TransferSubject) => [CUT, ...each.faults(subject)],
  })),
];
