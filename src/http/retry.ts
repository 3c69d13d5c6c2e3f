/**
 * Repeats what failed with a temporary error.
 * Exponential backoff with full jitter: up to 1, 2, 4 … 64 s, each multiplied by a random number from 0 to 1.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors#exponential-backoff
 */
import { type DriveError, isDriveError } from '../errors';
import type { CallOptions, Clock, RetryBudget } from '../types';
import type { ResponseHeaders } from './client';
import type { Observe } from './observer';

const FIRST_DELAY = 1_000;
const MAX_DELAY = 64_000;

/**
 * @param attempt 0 for the delay after the first failure
 * @param random from 0 to 1
 * @param retryAfter ms the service asked for; the delay is never shorter
 * @returns ms
 */
export function retryDelay(attempt: number, random: number, retryAfter = 0): number {
  const longest = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(attempt, 16));
  return Math.max(Math.round(longest * random), retryAfter);
}

/**
 * Reads `Retry-After`, RFC 9110 10.2.3: seconds or an HTTP date. A date is compared with the response's `Date`, since
 * the clocks of the service and of this machine may differ.
 * @param headers of a response
 * @param now ms since 1970, used for a response without `Date`
 * @returns ms to wait, undefined without a valid header
 */
export function parseRetryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const date = parseHttpDate(value);
  if (date === undefined) return undefined;
  return Math.max(0, date - (parseHttpDate(headers['date'] ?? '') ?? now));
}

/** RFC 9110 5.6.7: a date begins with a day of the week. Date.parse alone accepts almost anything. */
export function parseHttpDate(value: string): number | undefined {
  const date = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Failures before the first byte of the request was sent. */
const NEVER_SENT = new Set(['network_dns', 'network_refused', 'network_proxy']);

/** Whether the service may have processed the failed request, and only the response was lost. */
export function mayHaveBeenProcessed({ code, text }: DriveError): boolean {
  return ['network', 'timeout', 'service_unavailable'].includes(code) && !NEVER_SENT.has(text);
}

export interface RetryOptions {
  clock: Clock;
  /** @returns a number from 0 to 1 */
  random: () => number;
  /** ms; the retry budget of a call. */
  retryFor: number;
  /** Called for each retry. */
  observe?: Observe | undefined;
}

/** The options of a call whose requests share one retry budget. */
export type BudgetedCall = CallOptions & { budget: RetryBudget };

/** @returns the call with its retry budget, which starts now unless the call already has one */
export function withRetryBudget(
  call: CallOptions,
  { clock, retryFor }: Pick<RetryOptions, 'clock' | 'retryFor'>,
): BudgetedCall {
  if (hasBudget(call)) return call;
  const total = Math.min(retryFor, call.retryFor ?? retryFor);
  let deadline = clock.monotonic() + total;
  let restarts = 0;
  const budget: RetryBudget = {
    restart: (granted = total) => {
      deadline = clock.monotonic() + granted;
      restarts += 1;
    },
    get remaining() {
      return deadline - clock.monotonic();
    },
    get restarts() {
      return restarts;
    },
  };
  return Object.assign({}, call, { budget });
}

/** @returns the call for work that has to be done even if the call is cancelled. It gets a retry budget of its own. */
export function uncancelled({ signal: _signal, budget: _budget, ...call }: CallOptions): CallOptions {
  return call;
}

function hasBudget(call: CallOptions): call is BudgetedCall {
  return call.budget !== undefined;
}

/**
 * Repeats `work` after temporary errors until the retry budget of the call is spent.
 * @param work gets the call with its budget. If it passes them on, nested retries share the budget; when it has made
 * progress, it restarts the budget, which also resets the backoff.
 * @throws the last error, or `cancelled`
 */
export async function retry<T>(
  work: (call: BudgetedCall) => Promise<T>,
  options: RetryOptions,
  call: CallOptions = {},
): Promise<T> {
  const { clock, random, observe } = options;
  const budgeted = withRetryBudget(call, options);
  const { budget } = budgeted;
  let attempt = 0;
  let { restarts } = budget;
  for (;;) {
    try {
      return await work(budgeted);
    } catch (error) {
      if (!isDriveError(error) || !error.retryable) throw error;
      if (budget.restarts !== restarts) attempt = 0;
      restarts = budget.restarts;
      error.attempts = Math.max(error.attempts, attempt + 1);
      const { remaining } = budget;
      if (remaining <= 0 || (error.retryAfter ?? 0) > remaining) throw error;
      // The last attempt is made at the end of the budget.
      const delay = Math.min(remaining, retryDelay(attempt++, random(), error.retryAfter));
      observe?.({ event: 'retry', error: error.code, attempt, delay });
      call.onWait?.(delay, error);
      await clock.sleep(delay, call.signal);
    }
  }
}
