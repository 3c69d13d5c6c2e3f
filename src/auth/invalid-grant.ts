/** Why a new sign-in is needed after an `invalid_grant` error response: explained by the age of the last one. */
import { DriveError, type TextWith } from '../errors';

const DAY = 24 * 60 * 60_000;
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
