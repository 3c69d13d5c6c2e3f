/** What goes wrong with uploads. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import type { Fault, FaultMatch } from '../local-drive';
import { CHUNKED_UPLOAD_FAULTS } from './chunked-upload-faults';
import { type FaultCase, type TransferSubject, atEachPosition, serviceErrors, faultCase } from './fault-case';

/** Up to here a content goes in one request, beyond in a session. */
const MULTIPART = 5_000_000;
const inOne = (size: number): boolean => size <= MULTIPART;
const inSession = (size: number): boolean => size > MULTIPART;

const IDS: FaultMatch = { path: /generateIds$/ };
const IN_ONE: FaultMatch = { query: /uploadType=multipart/ };
const START: FaultMatch = { query: /^(?!.*upload_id)uploadType=resumable/ };
const BYTES: FaultMatch = { method: 'PUT', when: ({ headers }) => isRange(headers['content-range']) };
const STATUS: FaultMatch = { method: 'PUT', when: ({ headers }) => !isRange(headers['content-range']) };
/** Whatever carries the content. */
const CONTENT: FaultMatch = {
  path: /^\/upload/,
  when: ({ query, headers }) => query.includes('multipart') || isRange(headers['content-range']),
};

function isRange(header: string | undefined): boolean {
  return /^bytes \d/.test(header ?? '');
}

/** So that the status is asked for. */
const CUT: Fault = { kind: 'resetRequest', bytes: 1_000_000, match: BYTES };
const session = { appliesTo: inSession };

const cuts: FaultCase[] = [
  ...atEachPosition('cut at #', (bytes) => [{ kind: 'resetRequest', bytes, match: CONTENT }]),
  faultCase(
    'cut behind its last byte',
    ({ size }) => [{ kind: 'resetRequest', bytes: size, match: CONTENT }],
    {
      appliesTo: (size) => size > 0,
    },
  ),
  faultCase(
    'each of six requests cut at byte 200,000',
    () => [{ kind: 'resetRequest', bytes: 200_000, match: CONTENT, times: 6 }],
    { appliesTo: (size) => size > 2_000_000 },
  ),
];

const stored: FaultCase[] = [
  ...atEachPosition('stored up to #', (bytes) => [{ kind: 'partiallyStored', bytes, match: BYTES }], session),
  ...atEachPosition(
    'stored up to #, and the 308 has no Range',
    (bytes) => [
      { kind: 'partiallyStored', bytes, match: BYTES },
      { kind: 'omitRange', match: BYTES },
    ],
    session,
  ),
  faultCase(
    'nothing stored each time',
    () => [{ kind: 'partiallyStored', bytes: 0, match: BYTES, times: Infinity }],
    {
      ...session,
      expectedError: 'service_unavailable',
    },
  ),
];

const gone = ([404, 410] as const).flatMap((status): FaultCase[] => {
  const fault = (more: object): Fault => ({ kind: 'sessionGone', status, match: BYTES, ...more });
  return [
    faultCase(`${status} to the first PUT`, () => [fault({})], session),
    faultCase(`${status} to the second PUT`, () => [CUT, fault({ match: { ...BYTES, nth: 2 } })], session),
    faultCase(`${status} to the status request`, () => [CUT, fault({ match: STATUS })], session),
    faultCase(
      `${status} to the status request after a lost last reply`,
      () => [{ kind: 'lostResponse', match: BYTES }, fault({ match: STATUS })],
      session,
    ),
    faultCase(`${status} to the first PUT each time`, () => [fault({ times: Infinity })], {
      ...session,
      expectedError: 'service_unavailable',
    }),
  ];
});

const answers: FaultCase[] = (['short', 'none'] as const).map((length) =>
  faultCase(
    `the last answer is cut short, ${length === 'short' ? 'and its length says so' : 'and has no length'}`,
    () => [{ kind: 'truncate', bytes: 20, length, match: CONTENT }],
  ),
);

const changed: FaultCase[] = [
  faultCase(
    'a byte is stored changed',
    ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT }],
    {
      appliesTo: (size) => size > 0,
    },
  ),
  faultCase(
    'a byte is stored changed each time',
    ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT, times: Infinity }],
    { appliesTo: (size) => size > 0, expectedError: 'checksum_mismatch' },
  ),
  faultCase(
    'the storage is full',
    () => [{ kind: 'error', reason: 'storageQuotaExceeded', match: CONTENT }],
    {
      expectedError: 'quota_exceeded',
    },
  ),
];

export const UPLOAD_FAULTS: FaultCase[] = [
  faultCase('nothing', () => []),
  ...cuts,
  ...stored,
  ...gone,
  ...answers,
  ...changed,
  ...CHUNKED_UPLOAD_FAULTS,
  ...serviceErrors({ 'the new id': IDS }),
  ...serviceErrors({ 'the content in one request': IN_ONE }, { appliesTo: inOne }),
  ...serviceErrors({ 'the start of the session': START, 'the PUT': BYTES }, session),
  ...serviceErrors({ 'the status request': STATUS }, session).map((each) => ({
    ...each,
    faults: (subject: TransferSubject) => [CUT, ...each.faults(subject)],
  })),
];
