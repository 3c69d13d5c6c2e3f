/** Faults of downloads. https://developers.google.com/workspace/drive/api/guides/manage-downloads */
import type { Fault, FaultMatch } from '../local-drive';
import { type FaultCase, atEachPosition, serviceErrors, faultCase } from './fault-case';

const CONTENT: FaultMatch = { query: /alt=media/ };
const METADATA: FaultMatch = { path: /^\/drive\/v3\/files\/[^/]+$/, query: /^(?!.*alt=media)/ };

const notEmpty = { appliesTo: (size: number) => size > 0 };

const interrupted: FaultCase[] = [
  ...atEachPosition('connection closed at #', (bytes) => [{ kind: 'resetResponse', bytes, match: CONTENT }]),
  ...atEachPosition('ends early at # with a matching Content-Length', (bytes) => [
    { kind: 'truncate', bytes, length: 'short', match: CONTENT },
  ]),
  ...atEachPosition('ends early at # without Content-Length', (bytes) => [
    { kind: 'truncate', bytes, length: 'none', match: CONTENT },
  ]),
  faultCase(
    'connection closed at byte 200,000 in six responses',
    () => [{ kind: 'resetResponse', bytes: 200_000, match: CONTENT, times: 6 }],
    { appliesTo: (size) => size > 2_000_000 },
  ),
  faultCase('connection closed within the metadata', () => [
    { kind: 'resetResponse', bytes: 20, match: METADATA },
  ]),
];

const wrongSize = (difference: number, times: number): FaultCase['faults'] => {
  return ({ size, file }): Fault[] => [
    { kind: 'response', body: { ...file, size: String(size + difference) }, match: METADATA, times },
  ];
};

const inconsistent: FaultCase[] = [
  faultCase('one corrupt byte', ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT }], notEmpty),
  faultCase(
    'one corrupt byte in each response',
    ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT, times: Infinity }],
    { ...notEmpty, expectedError: 'checksum_mismatch' },
  ),
  faultCase('size in the metadata too large by 1, once', wrongSize(1, 1)),
  faultCase('size in the metadata too small by 1, once', wrongSize(-1, 1), notEmpty),
  faultCase('size in the metadata too large by 1', wrongSize(1, Infinity), {
    expectedError: ['bad_response', 'network'],
  }),
  faultCase('size in the metadata too small by 1', wrongSize(-1, Infinity), {
    ...notEmpty,
    expectedError: 'checksum_mismatch',
  }),
  faultCase('file deleted', () => [{ kind: 'error', reason: 'notFound', match: CONTENT }], {
    expectedError: 'not_found',
  }),
];

export const DOWNLOAD_FAULTS: FaultCase[] = [
  faultCase('no fault', () => []),
  ...interrupted,
  ...inconsistent,
  // The request for the metadata doesn't depend on the size.
  ...serviceErrors({ metadata: METADATA }, { appliesTo: (size) => size < 1_000_000 }),
  ...serviceErrors({ content: CONTENT }),
];
