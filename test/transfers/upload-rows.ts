/** What goes wrong with uploads. https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import type { Fault, FaultMatch } from '../local-drive';
import { PART_ROWS } from './part-rows';
import { type Row, type Subject, atEachPlace, errorsAt, row } from './row';

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
const session = { strikes: inSession };

const cuts: Row[] = [
  ...atEachPlace('cut at #', (bytes) => [{ kind: 'resetRequest', bytes, match: CONTENT }]),
  row('cut behind its last byte', ({ size }) => [{ kind: 'resetRequest', bytes: size, match: CONTENT }], {
    strikes: (size) => size > 0,
  }),
  row(
    'each of six requests cut at byte 200,000',
    () => [{ kind: 'resetRequest', bytes: 200_000, match: CONTENT, times: 6 }],
    { strikes: (size) => size > 2_000_000 },
  ),
];

const stored: Row[] = [
  ...atEachPlace('stored up to #', (bytes) => [{ kind: 'partiallyStored', bytes, match: BYTES }], session),
  ...atEachPlace(
    'stored up to #, and the 308 has no Range',
    (bytes) => [
      { kind: 'partiallyStored', bytes, match: BYTES },
      { kind: 'omitRange', match: BYTES },
    ],
    session,
  ),
  row(
    'nothing stored each time',
    () => [{ kind: 'partiallyStored', bytes: 0, match: BYTES, times: Infinity }],
    {
      ...session,
      error: 'service_unavailable',
    },
  ),
];

const gone = ([404, 410] as const).flatMap((status): Row[] => {
  const fault = (more: object): Fault => ({ kind: 'sessionGone', status, match: BYTES, ...more });
  return [
    row(`${status} to the first PUT`, () => [fault({})], session),
    row(`${status} to the second PUT`, () => [CUT, fault({ match: { ...BYTES, nth: 2 } })], session),
    row(`${status} to the status request`, () => [CUT, fault({ match: STATUS })], session),
    row(
      `${status} to the status request after a lost last reply`,
      () => [{ kind: 'lostResponse', match: BYTES }, fault({ match: STATUS })],
      session,
    ),
    row(`${status} to the first PUT each time`, () => [fault({ times: Infinity })], {
      ...session,
      error: 'service_unavailable',
    }),
  ];
});

const answers: Row[] = (['short', 'none'] as const).map((length) =>
  row(
    `the last answer is cut short, ${length === 'short' ? 'and its length says so' : 'and has no length'}`,
    () => [{ kind: 'truncate', bytes: 20, length, match: CONTENT }],
  ),
);

const changed: Row[] = [
  row('a byte is stored changed', ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT }], {
    strikes: (size) => size > 0,
  }),
  row(
    'a byte is stored changed each time',
    ({ size }) => [{ kind: 'corruptStored', at: size >> 1, match: CONTENT, times: Infinity }],
    { strikes: (size) => size > 0, error: 'checksum_mismatch' },
  ),
  row('the storage is full', () => [{ kind: 'error', reason: 'storageQuotaExceeded', match: CONTENT }], {
    error: 'quota_exceeded',
  }),
];

export const UPLOAD_ROWS: Row[] = [
  row('nothing', () => []),
  ...cuts,
  ...stored,
  ...gone,
  ...answers,
  ...changed,
  ...PART_ROWS,
  ...errorsAt({ 'the new id': IDS }),
  ...errorsAt({ 'the content in one request': IN_ONE }, { strikes: inOne }),
  ...errorsAt({ 'the start of the session': START, 'the PUT': BYTES }, session),
  ...errorsAt({ 'the status request': STATUS }, session).map((each) => ({
    ...each,
    faults: (subject: Subject) => [CUT, ...each.faults(subject)],
  })),
];
