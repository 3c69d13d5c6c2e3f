/**
 * Whom a file can be shared with: anyone who has the link, a user or a group by e-mail address, or a domain. Checks
 * addresses as far as that is possible without the service.
 */
import { parseTime } from '../shared/contract/parse-time';

const DOMAIN = /^(?!-)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u;

export function isDomain(text: string): boolean {
  return DOMAIN.test(text);
}

/** RFC 5321 4.1.2, without quoted strings and address literals. */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.split('@');
  return rest.length === 0 && /^[^\s"(),:;<>[\\\]]+$/.test(local) && isDomain(domain);
}

/**
 * How long Google Drive lets access last: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions
 * @param now ms since 1970. @returns a year later
 */
export function latestExpiration(now: number): number {
  return parseTime('1 year', now, 'after') ?? now;
}
