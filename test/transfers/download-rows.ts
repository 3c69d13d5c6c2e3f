/** What goes wrong with downloads. https://developers.google.com/workspace/drive/api/guides/manage-downloads */
import type { Fault, FaultMatch } from '../local-drive';
import { type Row, atEachPlace, errorsAt, row } from './row';

const CONTENT: FaultMatch = { query: /alt=media/ };
const METADATA: FaultMatch = { path: /^\/drive\/v3\/files\/[^/]+$/, query: /^(?!.*alt=media)/ };

const notEmpty = { strikes: (size: number) => size > 0 };

const cuts: Row[] = [
  ...atEachPlace('cut at #', (bytes) => [{ kind: 'resetResponse', bytes, match: CONTENT }]),
  ...atEachPlace('ends early at #, and its length says so', (bytes) => [
    { kind: 'truncate', bytes, length: 'short', match: CONTENT },
  ]),
  ...atEachPlace('ends early at #, and has no length', (bytes) => [
    { kind: 'truncate', bytes, length: 'none', match: CONTENT },
  ]),
  row(
    'each of six answers cut at byte 200,000',
    () => [{ kind: 'resetResponse', bytes: 200_000, match: CONTENT, times: 6 }],
    { strikes: (size) => size > 2_000_000 },
  ),
  row('the metadata is cut', () => [{ kind: 'resetResponse', bytes: 20, match: METADATA }]),
];

const said = (by: number, times: number): Row['faults'] => {
  return ({ size, file }): Fault[] => [
    { kind: 'response', body: { ...file, size: String(size + by) }, match: METADATA, times },
  ];
};

const wrong: Row[] = [
  row('a byte arrives changed', ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT }], {
    ...notEmpty,
    error: 'checksum_mismatch',
  }),
  row(
    'a byte arrives changed each time',
    ({ size }) => [{ kind: 'corrupt', at: size >> 1, match: CONTENT, times: Infinity }],
    { ...notEmpty, error: 'checksum_mismatch' },
  ),
  row('the metadata says a byte more, once', said(1, 1)),
  row('the metadata says a byte less, once', said(-1, 1), notEmpty),
  row('the metadata says a byte more each time', said(1, Infinity), { error: ['bad_response', 'network'] }),
  row('the metadata says a byte less each time', said(-1, Infinity), {
    ...notEmpty,
    error: 'checksum_mismatch',
  }),
  row('it was deleted', () => [{ kind: 'error', reason: 'notFound', match: CONTENT }], {
    error: 'not_found',
  }),
];

export const DOWNLOAD_ROWS: Row[] = [
  row('nothing', () => []),
  ...cuts,
  ...wrong,
  ...errorsAt({ 'the metadata': METADATA, 'the content': CONTENT }),
];
