/** Addresses: which may be used at all, how they are joined, and how a query is written. */
import { DriveError } from '../errors';

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Checks an address a token or a file may be sent to.
 * @param property the setting it came from, named in the error
 * @returns the parsed address
 * @throws `not_configured` where it is no http(s) address, `insecure_url` for http to any host but this machine
 */
export function secureUrl(address: string, property: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw badUrl(property);
  }
  if (url.username || url.password) throw badUrl(property);
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') throw badUrl(property);
  if (!isLoopback(url.hostname)) {
    throw new DriveError('insecure_url', { params: { property, host: url.host } });
  }
  return url;
}

function badUrl(property: string): DriveError {
  return new DriveError('not_configured', { text: 'not_configured_address', params: { property } });
}

/** RFC 8252 8.3 and RFC 6761 6.3: the loopback addresses and `localhost`. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}

/** The address without a trailing slash, so that paths can be put behind it. */
export function withoutTrailingSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

/** Adds a query. Blanks are written `+`, as in forms. Values that are undefined are left out. */
export function withQuery(address: string, query: QueryValues = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) values.append(name, String(value));
  }
  const text = values.toString();
  return text ? `${address}${address.includes('?') ? '&' : '?'}${text}` : address;
}
