/**
 * Why a sign-in has failed, and why a new one is needed. Maps the `error` of an OAuth response: RFC 6749 sections
 * 4.1.2.1 and 5.2, RFC 8628 section 3.5. Why one is needed now: `TokenSource.needsSignIn`.
 */
import { DriveError, type TextWith } from '../errors';
import { safeReason } from './token-endpoint';
import { DAY } from '../core/clock';

type SignInTexts = Readonly<Record<string, TextWith<'reason'>>>;

/** Error codes with a text of their own. All others get a general text with the code. */
const BOTH_FLOWS: SignInTexts = {
  access_denied: 'sign_in_refused_access_denied',
  admin_policy_enforced: 'sign_in_refused_admin_policy_enforced',
  org_internal: 'sign_in_refused_org_internal',
};

const DEVICE: SignInTexts = {
  ...BOTH_FLOWS,
  expired_token: 'sign_in_refused_expired_token',
  // Google returns this for an expired device code.
  invalid_grant: 'sign_in_refused_expired_token',
  invalid_client: 'sign_in_refused_invalid_client',
  invalid_scope: 'sign_in_refused_invalid_scope',
  unsupported_grant_type: 'sign_in_refused_unsupported_grant_type',
  unauthorized_client: 'sign_in_refused_invalid_client',
};

const BROWSER: SignInTexts = {
  ...BOTH_FLOWS,
  invalid_grant: 'sign_in_refused_code_used',
  invalid_client: 'sign_in_refused_browser_client',
  unauthorized_client: 'sign_in_refused_browser_client',
  unsupported_grant_type: 'sign_in_refused_browser_client',
  invalid_scope: 'sign_in_refused_browser_scope',
  redirect_uri_mismatch: 'sign_in_refused_redirect_uri',
};

/** @param flow the same error code has different causes in the two flows */
export function signInError(error: string, flow: 'device' | 'browser', status?: number): DriveError {
  const reason = safeReason(error);
  const detail = { reason, params: { reason }, status };
  if (error === 'rate_limit_exceeded')
    return new DriveError('rate_limited', { ...detail, text: 'rate_limited', retryable: true });
  const texts = flow === 'device' ? DEVICE : BROWSER;
  const text = Object.hasOwn(texts, error) ? texts[error] : undefined;
  return new DriveError('sign_in_required', { ...detail, text: text ?? 'sign_in_refused_other' });
}

/**
 * Google revokes the grants of an app in testing after seven days. The client notices that at its next refresh.
 * https://developers.google.com/identity/protocols/oauth2#expiration
 */
const TESTING_GRANT_DAYS = 7;
const TOLERANCE_DAYS = 1;

/**
 * @param error of a failed refresh
 * @param age ms since the sign-in, undefined if unknown
 * @returns for an ended sign-in of known age an error with that age; otherwise the error itself
 */
export function explainInvalidGrant(error: DriveError, age: number | undefined): DriveError {
  if (error.text !== 'sign_in_required_ended' || age === undefined || age < 0) return error;
  const days = Math.round(age / DAY);
  return new DriveError('sign_in_required', {
    text: textFor(age, days),
    params: { days },
    status: error.status,
    reason: error.reason,
  });
}

function textFor(age: number, days: number): TextWith<'days'> {
  if (age < DAY) return 'sign_in_required_ended_today';
  if (days === 1) return 'sign_in_required_ended_one_day';
  const isTesting = Math.abs(days - TESTING_GRANT_DAYS) <= TOLERANCE_DAYS;
  return isTesting ? 'sign_in_required_testing' : 'sign_in_required_ended_days';
}
