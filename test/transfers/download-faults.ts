/** What goes wrong with downloads. https://developers.google.com/workspace/drive/api/guides/manage-downloads */
import type { Fault, FaultMatch } from '../local-drive';
import { type FaultCase, atEachPosition, serviceErrors, faultCase } from './fault-case';

const CONTENT: FaultMatch = { query: /alt=media/ };
const METADATA: FaultMatch = { path: /^\/drive\/v3\/files\/[^/]+$/, query: /^(?!.*alt=media)/ };

const notEmpty = { appliesTo: (size: number) => size > 0 };

const cuts: FaultCase[] = [
  ...atEachPosition('cut at #', (bytes) => [{ kind: 'resetResponse', bytes, match: CONTENT }]),
  ...atEachPosition('ends early at #, and its length says so', (bytes) => [
    { kind: 'truncate', bytes, length: 'short', match: CONTENT },
  ]),
  ...atEachPosition('ends early at #, and has no length', (bytes) => [
    { kind: 'truncate', bytes, length: 'none', match: CONTENT },
  ]),
  faultCase(
    'each of six answers cut at byte 200,000',
    () => [{ kind: 'resetResponse', bytes: 200_000, match: CONTENT, times: 6 }],
    { appliesTo: (size) => size > 2_000_000 },
  ),
  faultCase('the metadata is cut', () => [{ kind: 'resetResponse', bytes: 20, match: METADATA }]),
];

const said = (by: number, times: number): FaultCase['faults'] => {
  return ({ size, file }): Fault[] => [
    { kind: 'response', body: { ...file, size: String(size + by) }, match: METADATA, times },
  ];
};

const wrong: FaultCase[] = [
  faultCase(
    'a byte arrives changed',
    ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT }],
    notEmpty,
  ),
  faultCase(
    'a byte arrives changed each time',
    ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT, times: Infinity }],
    { ...notEmpty, expectedError: 'checksum_mismatch' },
  ),
  faultCase('the metadata says a byte more, once', said(1, 1)),
  faultCase('the metadata says a byte less, once', said(-1, 1), notEmpty),
  faultCase('the metadata says a byte more each time', said(1, Infinity), {
    expectedError: ['bad_response', 'network'],
  }),
  faultCase('the metadata says a byte less each time', said(-1, Infinity), {
    ...notEmpty,
    expectedError: 'checksum_mismatch',
  }),
  faultCase('it was deleted', () => [{ kind: 'error', reason: 'notFound', match: CONTENT }], {
    expectedError: 'not_found',
  }),
];

export const DOWNLOAD_FAULTS: FaultCase[] = [
  faultCase('nothing', () => []),
  ...cuts,
  ...wrong,
  ...serviceErrors({ 'the metadata': METADATA, 'the content': CONTENT }),
];
