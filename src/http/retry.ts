/**
 * When a failed call is tried again.
 * Exponential backoff with full jitter: 1, 2, 4 … 64 s at most, each multiplied by a random number from 0 to 1.
 */
import { type DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock } from '../types';

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 64_000;

/**
 * @param attempt 0 for the wait after the first failure
 * @param random from 0 to 1
 * @param retryAfter what the service asked for, in ms; the wait is never shorter
 * @returns the wait in ms
 */
export function waitBefore(attempt: number, random: number, retryAfter = 0): number {
  const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 16));
  return Math.max(Math.round(longest * random), retryAfter);
}

/**
 * Reads `Retry-After`, RFC 9110 10.2.3: seconds or an HTTP date.
 * @param now milliseconds since 1970
 * @returns ms to wait, undefined where the header is missing or makes no sense
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse takes almost anything for a date, RFC 9110 5.6.7 only what begins with a day of the week.
  const date = DAY.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const DAY = /^(mon|tue|wed|thu|fri|sat|sun)/i;

/** Failures before a byte of the request was sent. */
const NEVER_SENT = new Set(['network_dns', 'network_refused', 'network_proxy']);

/** Whether a request that failed so may have been carried out all the same, only its answer being lost. */
export function mayHaveHappened({ code, text }: DriveError): boolean {
  return ['network', 'timeout', 'service_unavailable'].includes(code) && !NEVER_SENT.has(text);
}

export interface RetryOptions {
  clock: Clock;
  /** From 0 to 1. */
  random: () => number;
  /** ms a call may take with all its retries, counted from its last progress. */
  retryFor: number;
}

/**
 * Repeats `work` while it fails with what may pass, within the budget.
 * @param work gets a function to call when it has made progress: the budget and the waits begin anew then
 * @throws the last error, or `cancelled`
 */
export async function retrying<T>(
  work: (progressed: () => void) => Promise<T>,
  { clock, random, retryFor: most }: RetryOptions,
  call: CallOptions = {},
): Promise<T> {
  const retryFor = Math.min(most, call.retryFor ?? most);
  let attempt = 0;
  let deadline = clock.monotonic() + retryFor;
  const progressed = (): void => {
    attempt = 0;
    deadline = clock.monotonic() + retryFor;
  };
  for (;;) {
    try {
      return await work(progressed);
    } catch (error) {
      if (!isDriveError(error) || !error.retryable) throw error;
      error.tries = Math.max(error.tries, attempt + 1);
      const left = deadline - clock.monotonic();
      if (left <= 0 || (error.retryAfter ?? 0) > left) throw error;
      // The last try is at the end of the budget, not before a wait that would pass it.
      const wait = Math.min(left, waitBefore(attempt++, random(), error.retryAfter));
      call.onWait?.(wait);
      await clock.sleep(wait, call.signal);
    }
  }
}
