/** A row of the table: one thing that goes wrong, and what a transfer comes to all the same. */
import type { ErrorCode } from '../../src/index';
import type { Fault } from '../local-drive';

/** What is known of the transfer that a fault is made for. */
export interface TransferSubject {
  /** Bytes. */
  size: number;
  /** Of a download: the file as the drive describes it. */
  file: Readonly<Record<string, string>>;
}

export interface FaultCase {
  name: string;
  faults: (subject: TransferSubject) => Fault[];
  /** Sizes that it can strike; all if absent. */
  appliesTo: (size: number) => boolean;
  /** The code it has to end with, or one of these; without one the right bytes arrive. */
  expectedError?: ErrorCode | readonly ErrorCode[];
  /** Much like another row: left to the long run. */
  isLongRunOnly?: boolean;
}

type MakeFaults = (subject: TransferSubject) => Fault[];
type CaseOptions = Partial<Pick<FaultCase, 'appliesTo' | 'expectedError' | 'isLongRunOnly'>>;

export const faultCase = (name: string, faults: MakeFaults, more: CaseOptions = {}): FaultCase => ({
  name,
  faults,
  appliesTo: () => true,
  ...more,
});

export const ALL_SIZES = [
  0, 1, 262_143, 262_144, 262_145, 1_000_003, 4_999_999, 5_000_000, 5_000_001, 5_242_879, 5_242_880,
  5_242_881, 33_554_433,
];
/** One for each way of an upload: in one request, and in a session. */
export const FEW_SIZES = [262_145, 5_242_881];

interface CutPosition {
  label: string;
  at: (size: number) => number;
  isLongRunOnly: boolean;
}

/** Places within a content at which it is cut. */
const CUT_POSITIONS: readonly CutPosition[] = [
  ...[0, 1, 65_536, 262_143, 262_144, 262_145, 1_048_576, 5_000_000].map((bytes) => ({
    label: `byte ${bytes.toLocaleString('en')}`,
    at: () => bytes,
    isLongRunOnly: ![1, 262_144].includes(bytes),
  })),
  { label: 'half of it', at: (size) => Math.floor(size / 2), isLongRunOnly: false },
  { label: 'its last byte', at: (size) => size - 1, isLongRunOnly: true },
];

/** A row for each place. @param name has `#` where the place goes */
export function atEachPosition(
  name: string,
  faults: (at: number) => Fault[],
  more: CaseOptions = {},
): FaultCase[] {
  const { appliesTo = () => true } = more;
  return CUT_POSITIONS.map(({ label, at, isLongRunOnly }) =>
    faultCase(name.replace('#', label), ({ size }) => faults(at(size)), {
      isLongRunOnly,
      ...more,
      appliesTo: (size) => appliesTo(size) && at(size) >= 0 && at(size) < size,
    }),
  );
}

/** Errors of the service that pass, and those that don't, wherever they strike. @param places by their names */
export function serviceErrors(
  places: Readonly<Record<string, Fault['match']>>,
  more: CaseOptions = {},
): FaultCase[] {
  return Object.entries(places).flatMap(([place, match]) => {
    const error = (reason: string, settings: object): Fault => ({
      kind: 'error',
      reason,
      match,
      ...settings,
    });
    const each = (name: string, fault: Fault, than: CaseOptions = {}): FaultCase =>
      faultCase(`${name}: ${place}`, () => [fault], { ...more, ...than });
    const always = { times: Infinity };
    return [
      each('reset', { kind: 'reset', match }),
      each('four resets', { kind: 'reset', match, times: 4 }, { isLongRunOnly: true }),
      each(
        'reset each time',
        { kind: 'reset', match, ...always },
        { isLongRunOnly: true, expectedError: 'network' },
      ),
      each('lost reply', { kind: 'lostResponse', match }),
      each('two lost replies', { kind: 'lostResponse', match, times: 2 }, { isLongRunOnly: true }),
      each('401', error('authError', {})),
      each('429 with Retry-After', error('rateLimitExceeded', { status: 429, retryAfter: 3 })),
      each('five of 403 rate limit', error('userRateLimitExceeded', { times: 5 }), { isLongRunOnly: true }),
      each('429 each time', error('rateLimitExceeded', { status: 429, ...always }), {
        isLongRunOnly: true,
        expectedError: 'rate_limited',
      }),
      each('503', error('backendError', { status: 503 }), { isLongRunOnly: true }),
      each('five of 503', error('backendError', { status: 503, times: 5 })),
      each('503 each time', error('backendError', { status: 503, ...always }), {
        expectedError: 'service_unavailable',
      }),
    ];
  });
}
