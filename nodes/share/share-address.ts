/**
 * Whom a file can be shared with: anyone who has the link, a user or a group by e-mail address, or a domain. Checks
 * addresses as far as that is possible without the service.
 */

const DOMAIN = /^(?!-)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u;

export function isDomain(text: string): boolean {
  return DOMAIN.test(text);
}

/** RFC 5321 4.1.2, without quoted strings and address literals. */
export function isEmailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.split('@');
  return rest.length === 0 && /^[^\s"(),:;<>[\\\]]+$/.test(local) && isDomain(domain);
}
