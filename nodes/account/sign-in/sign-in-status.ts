/** A sign-in session, pending or ended, and its status. */
import { DriveError, type Tokens, isDriveError } from '../../../src/index';
import type { PendingAuthorization } from './sign-in-flows';
import type {
  ApiError,
  DriveUser,
  SignInState,
  SignInInstructions,
  SignInStatus,
} from '../../shared/contract/account-api';
import type { AccountSettings } from '../settings/settings';

export interface SignInResult {
  tokens: Tokens;
  account?: DriveUser;
  /** ISO time. */
  since: string;
  settings: AccountSettings;
}

export interface SignInSession {
  accountId: string;
  abort: AbortController;
  status: SignInStatus;
  instructions?: SignInInstructions;
  /** When the code or link expires, monotonic ms. */
  expiresAt?: number;
  /** When the sign-in ended, monotonic ms. */
  endedAt?: number;
  authorization?: PendingAuthorization;
  /** Resolves when the sign-in has ended; never rejects. */
  done: Promise<void>;
}

export function isPending({ status }: SignInSession): boolean {
  return status.state === 'pending';
}

/** @param now monotonic ms */
export function statusOf({ status, instructions, expiresAt = 0 }: SignInSession, now: number): SignInStatus {
  if (status.state !== 'pending' || !instructions) return status;
  return { ...status, ...instructions, expiresIn: Math.max(0, Math.round((expiresAt - now) / 1_000)) };
}

/** A cancelled sign-in has its own text: the general text for `cancelled` describes messages and deploys. */
export function cancelledSignIn(): DriveError {
  return new DriveError('cancelled', { text: 'cancelled_sign_in' });
}

const EXPIRED: readonly string[] = ['sign_in_refused_expired_token', 'sign_in_refused_nobody_came_back'];

export function stateForError(error: unknown): SignInState {
  if (isDriveError(error, 'cancelled')) return 'cancelled';
  if (!isDriveError(error)) return 'failed';
  if (error.text === 'sign_in_refused_access_denied') return 'denied';
  return EXPIRED.includes(error.text) ? 'expired' : 'failed';
}

/** ms by which this machine's clock may differ from the service's without a warning. */
const CLOCK_TOLERANCE = 5 * 60_000;

/**
 * Adds a warning if this machine's clock is wrong: certificates may then seem invalid.
 * @param ahead ms by which the clock is ahead of the service's
 */
export function withClockWarning(
  { warning: _before, ...view }: SignInStatus,
  ahead: number,
  warn: FormatWarning,
): SignInStatus {
  if (Math.abs(ahead) <= CLOCK_TOLERANCE) return view;
  const minutes = Math.round(Math.abs(ahead) / 60_000);
  return { ...view, warning: warn(ahead > 0 ? 'clock_ahead' : 'clock_behind', { minutes }) };
}

export type FormatError = (error: unknown) => ApiError;
export type FormatWarning = (text: 'clock_ahead' | 'clock_behind', params: { minutes: number }) => string;
