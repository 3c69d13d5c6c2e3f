/** A row of the table: one thing that goes wrong, and what a transfer comes to all the same. */
import type { ErrorCode } from '../../src/index';
import type { Fault } from '../local-drive';

/** What is known of the transfer that a fault is made for. */
export interface Subject {
  /** Bytes. */
  size: number;
  /** Of a download: the file as the drive describes it. */
  file: Readonly<Record<string, string>>;
}

export interface Row {
  name: string;
  faults: (subject: Subject) => Fault[];
  /** Sizes that it can strike; all if absent. */
  strikes: (size: number) => boolean;
  /** The code it has to end with, or one of these; without one the right bytes arrive. */
  error?: ErrorCode | readonly ErrorCode[];
  /** Much like another row: left to the long run. */
  isMore?: boolean;
}

type Making = (subject: Subject) => Fault[];
type More = Partial<Pick<Row, 'strikes' | 'error' | 'isMore'>>;

export const row = (name: string, faults: Making, more: More = {}): Row => ({
  name,
  faults,
  strikes: () => true,
  ...more,
});

export const EVERY_SIZE = [
  0, 1, 262_143, 262_144, 262_145, 1_000_003, 4_999_999, 5_000_000, 5_000_001, 5_242_879, 5_242_880,
  5_242_881, 33_554_433,
];
/** One for each way of an upload: in one request, and in a session. */
export const FEW_SIZES = [262_145, 5_242_881];

interface Cut {
  place: string;
  at: (size: number) => number;
  isMore: boolean;
}

/** Places within a content at which it is cut. */
const CUTS: readonly Cut[] = [
  ...[0, 1, 65_536, 262_143, 262_144, 262_145, 1_048_576, 5_000_000].map((bytes) => ({
    place: `byte ${bytes.toLocaleString('en')}`,
    at: () => bytes,
    isMore: ![1, 262_144].includes(bytes),
  })),
  { place: 'half of it', at: (size) => Math.floor(size / 2), isMore: false },
  { place: 'its last byte', at: (size) => size - 1, isMore: true },
];

/** A row for each place. @param name has `#` where the place goes */
export function atEachPlace(name: string, faults: (at: number) => Fault[], more: More = {}): Row[] {
  const { strikes = () => true } = more;
  return CUTS.map(({ place, at, isMore }) =>
    row(name.replace('#', place), ({ size }) => faults(at(size)), {
      isMore,
      ...more,
      strikes: (size) => strikes(size) && at(size) >= 0 && at(size) < size,
    }),
  );
}

/** Errors of the service that pass, and those that don't, wherever they strike. @param places by their names */
export function errorsAt(places: Readonly<Record<string, Fault['match']>>, more: More = {}): Row[] {
  return Object.entries(places).flatMap(([place, match]) => {
    const error = (reason: string, settings: object): Fault => ({
      kind: 'error',
      reason,
      match,
      ...settings,
    });
    const each = (name: string, fault: Fault, than: More = {}): Row =>
      row(`${name}: ${place}`, () => [fault], { ...more, ...than });
    const always = { times: Infinity };
    return [
      each('reset', { kind: 'reset', match }),
      each('four resets', { kind: 'reset', match, times: 4 }, { isMore: true }),
      each('reset each time', { kind: 'reset', match, ...always }, { isMore: true, error: 'network' }),
      each('lost reply', { kind: 'lostResponse', match }),
      each('two lost replies', { kind: 'lostResponse', match, times: 2 }, { isMore: true }),
      each('401', error('authError', {})),
      each('429 with Retry-After', error('rateLimitExceeded', { status: 429, retryAfter: 3 })),
      each('five of 403 rate limit', error('userRateLimitExceeded', { times: 5 }), { isMore: true }),
      each('429 each time', error('rateLimitExceeded', { status: 429, ...always }), {
        isMore: true,
        error: 'rate_limited',
      }),
      each('503', error('backendError', { status: 503 }), { isMore: true }),
      each('five of 503', error('backendError', { status: 503, times: 5 })),
      each('503 each time', error('backendError', { status: 503, ...always }), {
        error: 'service_unavailable',
      }),
    ];
  });
}
