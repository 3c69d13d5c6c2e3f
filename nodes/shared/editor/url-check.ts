/** Validates a URL in a dialog. The runtime validates it again before it sends anything. */

import { isLoopback } from '../../../src/http/loopback';

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
