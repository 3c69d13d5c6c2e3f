/** Checks `Location` of redirects and upload sessions. RFC 9110 10.2.2 */
import { isLoopback, secureUrl } from './url';

/**
 * @param location the header, which may be relative
 * @param from the URL of the request
 * @returns undefined for what is no address of a web server, brings a name and a password of its own, or is on this
 * machine while the service isn't: what listens here trusts who comes from here
 * @throws `insecure_url`
 */
export function safeLocation(location: string, from: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(location, from);
  } catch {
    return undefined;
  }
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined;
  if (isLoopback(url.hostname) && !isLoopback(new URL(from).hostname)) return undefined;
  return secureUrl(url.href, 'Location');
}
