/** Checks `Location` of redirects and upload sessions. RFC 9110 10.2.2 */
import { isLoopback } from './loopback';
import { parseUrl, secureUrl } from './url';

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
