/** Compares this machine's time with the service's, because a wrong clock would make all files look old. */
import { type DriveError, type ErrorParams, LocalTime, uncheckedError, withService } from '../../errors';
import { DAY } from './calendar';

interface ClockCheck {
  /** ms since 1970 */
  local: number;
  /** ms since 1970; undefined if unknown. */
  service: number | undefined;
  serviceUrl: string;
  /** Of the error, whose further parameters are both times. */
  text: 'partial_failure_clock' | 'partial_failure_clock_prune';
  params?: ErrorParams;
}

/**
 * @returns the service's time, or this machine's if the service's is unknown, in ms since 1970; and `partial_failure`
 *   if they differ by more than a day
 */
export function checkClock({ local, service, serviceUrl, text, params = {} }: ClockCheck): {
  now: number;
  error?: DriveError;
} {
  const now = service ?? local;
  if (Math.abs(local - now) <= DAY) return { now };
  const times = { localTime: new LocalTime(local), serviceTime: new LocalTime(now) };
  const error = uncheckedError('partial_failure', text, { ...params, ...times });
  withService(error, serviceUrl);
  return { now, error };
}
