/** What files of a repository have in common: the error of a damaged one, checks of its JSON, and times as Go writes them. */
import { DriveError, isDriveError } from '../../errors';
import { type TypeGuard, Validator, isArrayOf, isString } from '../../core/validator';

/** Why a file can't be used, as users see it. */
type Reason = 'tag' | 'hash' | 'size' | 'JSON' | 'zstd' | 'header' | 'missing' | 'depth' | 'repeated';

/**
 * @param file as in restic's documentation, such as `index/` and its ID, or the ID of a blob.
 * @param reason what is wrong
 */
export function damagedFile(file: string, reason: Reason | `JSON: ${string}`): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_repository_file', params: { file, reason } });
}

/** Whether a file of the repository is damaged or missing. */
export function isDamaged(error: unknown): error is DriveError {
  return isDriveError(error, 'bad_response') && error.text === 'bad_response_repository_file';
}

/** Bytes that are read at once: a pack may have 128 MiB, and its last blob makes it larger. */
export const MAX_READ = 256 * 1024 * 1024;

const ID = /^[0-9a-f]{64}$/;

export const isId: TypeGuard<string> = (value): value is string =>
  typeof value === 'string' && ID.test(value);
/** A length, offset or number of something. */
export const isCount: TypeGuard<number> = (value): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
export const isStrings = isArrayOf(isString);

export class JsonReader extends Validator {
  /** @param file in which the JSON is, for error messages */
  constructor(file: string) {
    super((name) => damagedFile(file, name === '' ? 'JSON' : `JSON: ${name}`));
  }
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
export const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;
/** The years that JSON can have: 0000 to 9999. */
const FIRST = BigInt(Date.parse('0000-01-01T00:00:00Z')) * NS_PER_MS;
const LAST = BigInt(Date.parse('9999-12-31T23:59:59Z')) * NS_PER_MS;

/** @returns nanoseconds since 1970; undefined if it isn't a time */
export function parseTime(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = TIME.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return undefined;
  const ms = Date.parse(seconds + zone);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * NS_PER_MS + BigInt(fraction.padEnd(9, '0'));
}

/** @param ns nanoseconds since 1970; before the year 0 and after 9999, the nearest time is written */
export function formatTime(ns: bigint): string {
  const time = ns < FIRST ? FIRST : ns > LAST ? LAST : ns;
  const fraction = ((time % NS_PER_S) + NS_PER_S) % NS_PER_S;
  const seconds = new Date(Number((time - fraction) / NS_PER_MS)).toISOString().slice(0, 19);
  const digits = fraction.toString().padStart(9, '0').replace(/0+$/, '');
  return `${seconds}${digits && '.'}${digits}Z`;
}
