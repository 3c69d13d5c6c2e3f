/** Why a grant is dead, as far as its age tells. */
import { DriveError } from '../errors';

const DAY = 24 * 60 * 60_000;
/** Google ends the grants of an app that is still in testing after seven days; it is noticed a little later. */
const TESTING = { from: 6, to: 8 };

/**
 * @param error what a refresh failed with
 * @param age ms since the sign-in, undefined where that isn't known
 * @returns for a grant that has ended an error that says when it began; any other error as it is
 */
export function explainInvalidGrant(error: DriveError, age: number | undefined): DriveError {
  if (error.text !== 'sign_in_required_ended' || age === undefined || age < 0) return error;
  const days = Math.round(age / DAY);
  return new DriveError('sign_in_required', {
    text: textOf(age, days),
    params: { ...error.params, days },
    status: error.status,
    reason: error.reason,
  });
}

function textOf(age: number, days: number): string {
  if (age < DAY) return 'sign_in_required_ended_today';
  if (days === 1) return 'sign_in_required_ended_one_day';
  const isTesting = days >= TESTING.from && days <= TESTING.to;
  return isTesting ? 'sign_in_required_testing' : 'sign_in_required_ended_days';
}
