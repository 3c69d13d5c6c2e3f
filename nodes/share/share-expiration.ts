/**
 * How long Google Drive lets access last:
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions
 */
import { parseTime } from '../shared/contract/parse-time';

/** @param now ms since 1970. @returns a year later */
export function latestExpiration(now: number): number {
  return parseTime('1 year', now, 'after') ?? now;
}
