/** Validates a URL in a dialog. The runtime validates it again before it sends anything. */

/** A key below `validation` in the catalogue. */
export type UrlProblem = 'address' | 'address_insecure';

/** @returns undefined for https URLs, and for http URLs of this machine */
export function urlProblem(text: string): UrlProblem | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'address';
  }
  if (url.username || url.password || url.hash) return 'address';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return 'address';
  return isLoopback(url.hostname) ? undefined : 'address_insecure';
}

/**
 * RFC 8252 section 8.3 and RFC 6761 section 6.3. `src/http/url.ts` has this function too: it is part of the client's
 * security check and independent of `nodes`, and editor code can't import from `src`.
 */
export function isLoopback(hostname: string): boolean {
  return /^(?:.+\.)?localhost$|^\[::1\]$|^127(?:\.\d{1,3}){3}$/.test(hostname);
}
