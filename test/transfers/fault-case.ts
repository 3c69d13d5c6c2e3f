/** The cases of the fault matrix: a fault, and the expected result of a transfer. */
import type { ErrorCode } from '../../src/index';
import type { Fault } from '../local-drive';

/** The transfer to which a fault applies. */
export interface TransferSubject {
  /** Bytes. */
  size: number;
  /** For downloads, the metadata of the file. */
  file: Readonly<Record<string, string>>;
}

export interface FaultCase {
  name: string;
  faults: (subject: TransferSubject) => Fault[];
  /** Whether the fault can occur for this size. */
  appliesTo: (size: number) => boolean;
  /** The expected error code or codes; by default the transfer succeeds. */
  expectedError?: ErrorCode | readonly ErrorCode[];
  /** Similar to another case, so only part of the long run. */
  isLongRunOnly?: boolean;
  /** The service responds with an error, or not at all, so it doesn't matter where the content comes from or goes to. */
  isServiceError?: boolean;
}

type MakeFaults = (subject: TransferSubject) => Fault[];
type CaseOptions = Partial<Omit<FaultCase, 'name' | 'faults'>>;

export const faultCase = (name: string, faults: MakeFaults, options: CaseOptions = {}): FaultCase => ({
  name,
  faults,
  appliesTo: () => true,
  ...options,
});

export const ALL_SIZES = [
  0, 1, 262_143, 262_144, 262_145, 1_000_003, 4_999_999, 5_000_000, 5_000_001, 5_242_879, 5_242_880,
  5_242_881, 33_554_433,
];
/** One for multipart and one for resumable uploads. */
export const FEW_SIZES = [262_145, 5_242_881];

interface CutPosition {
  label: string;
  at: (size: number) => number;
  isLongRunOnly: boolean;
}

/** Positions within a content at which it is interrupted. */
const CUT_POSITIONS: readonly CutPosition[] = [
  ...[0, 1, 65_536, 262_143, 262_144, 262_145, 1_048_576, 5_000_000].map((bytes) => ({
    label: `byte ${bytes.toLocaleString('en')}`,
    at: () => bytes,
    isLongRunOnly: ![1, 262_144].includes(bytes),
  })),
  { label: 'half of the content', at: (size) => Math.floor(size / 2), isLongRunOnly: false },
  { label: 'the last byte', at: (size) => size - 1, isLongRunOnly: true },
];

/** A case for each position. @param name contains `#` for the position */
export function atEachPosition(
  name: string,
  faults: (at: number) => Fault[],
  options: CaseOptions = {},
): FaultCase[] {
  const { appliesTo = () => true } = options;
  return CUT_POSITIONS.map(({ label, at, isLongRunOnly }) =>
    faultCase(name.replace('#', label), ({ size }) => faults(at(size)), {
      isLongRunOnly,
      ...options,
      appliesTo: (size) => appliesTo(size) && at(size) >= 0 && at(size) < size,
    }),
  );
}

/** Temporary and permanent errors of the service. @param requests to which they apply, by name */
export function serviceErrors(
  requests: Readonly<Record<string, Fault['match']>>,
  options: CaseOptions = {},
): FaultCase[] {
  return Object.entries(requests).flatMap(([request, match]) => {
    const error = (reason: string, settings: object): Fault => ({
      kind: 'error',
      reason,
      match,
      ...settings,
    });
    const each = (name: string, fault: Fault, extra: CaseOptions = {}): FaultCase =>
      faultCase(`${name}: ${request}`, () => [fault], { ...options, ...extra, isServiceError: true });
    const always = { times: Infinity };
    return [
      each('reset', { kind: 'reset', match }),
      each('four resets', { kind: 'reset', match, times: 4 }, { isLongRunOnly: true }),
      each(
        'reset every time',
        { kind: 'reset', match, ...always },
        { isLongRunOnly: true, expectedError: 'network' },
      ),
      each('lost response', { kind: 'lostResponse', match }),
      each('two lost responses', { kind: 'lostResponse', match, times: 2 }, { isLongRunOnly: true }),
      each('401', error('authError', {})),
      each('429 with Retry-After', error('rateLimitExceeded', { status: 429, retryAfter: 3 })),
      each('five times 403 rate limit', error('userRateLimitExceeded', { times: 5 }), {
        isLongRunOnly: true,
      }),
      each('429 every time', error('rateLimitExceeded', { status: 429, ...always }), {
        isLongRunOnly: true,
        expectedError: 'rate_limited',
      }),
      each('503', error('backendError', { status: 503 }), { isLongRunOnly: true }),
      each('five times 503', error('backendError', { status: 503, times: 5 })),
      each('503 every time', error('backendError', { status: 503, ...always }), {
        expectedError: 'service_unavailable',
      }),
    ];
  });
}
