/** Validates and builds URLs. */
import { DriveError } from '../errors';
import { isLoopback } from './loopback';

export type QueryValue = string | number | boolean | undefined;
/** An array repeats its parameter. */
export type QueryValues = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Does what `URL.parse` does, which older versions of Node lack, as they lack `URL.canParse`. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Parses a URL that tokens and files are sent to.
 * @param property the configuration property that contains it, named in errors
 * @throws `not_configured` unless it is an http(s) URL without user info; `insecure_url` for http to a host that isn't
 * loopback
 */
export function secureUrl(text: string, property: string): URL {
  const url = parseUrl(text);
  if (!url || url.username || url.password) throw invalidUrl(property);
  if (url.protocol === 'https:') return url;
  if (url.protocol !== 'http:') throw invalidUrl(property);
  if (!isLoopback(url.hostname)) {
    throw new DriveError('insecure_url', { text: 'insecure_url', params: { property, host: url.host } });
  }
  return url;
}

function invalidUrl(property: string): DriveError {
  return new DriveError('not_configured', { text: 'not_configured_address', params: { property } });
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/**
 * Encodes an id as one segment of a URL path. Dot segments would change the endpoint (RFC 3986 5.2.4).
 * @throws `invalid_input` for an id that can't be a segment
 */
export function pathSegment(id: string): string {
  if (id === '' || id === '.' || id === '..' || id.includes('/')) {
    throw new DriveError('invalid_input', { text: 'invalid_input_id', params: { id } });
  }
  return encodeURIComponent(id);
}

/** Adds query parameters, with spaces as `+`. Undefined values are omitted. */
export function withQuery(url: string, query: QueryValues = {}): string {
  const params = new URLSearchParams();
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) if (value !== undefined) params.append(name, String(value));
  }
  const text = params.toString();
  return text ? `${url}${url.includes('?') ? '&' : '?'}${text}` : url;
}

/**
 * @param location the header, which may be relative
 * @param from the URL of the request
 * @returns undefined unless it is an http(s) URL without user info; also for a loopback URL from a remote service,
 *   which must not reach the local servers of this machine
 * @throws `insecure_url` for http to a host that isn't loopback
 */
export function safeLocation(location: string, from: string): URL | undefined {
  const url = parseUrl(location, from);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined;
  if (isLoopback(url.hostname) && !isLoopback(new URL(from).hostname)) return undefined;
  return secureUrl(url.href, 'Location');
}
