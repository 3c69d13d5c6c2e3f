/** Follows redirects, and decides which URLs are sent the access token. RFC 9110 15.4 */
import type { Service } from '../types';
import type { HttpResponse } from './client';
import { safeLocation } from './url';
import { badResponse } from '../errors';

/** `same-origin` (default) or, for content, `anywhere`, where the token isn't sent. Only for GET. */
export type RedirectPolicy = 'same-origin' | 'anywhere';

interface RedirectOptions {
  method: string;
  url: string;
  redirects?: RedirectPolicy | undefined;
  /** Only these origins are sent the access token. */
  trustedOrigins: ReadonlySet<string>;
  /** True for a status to return although it is one of a redirect, such as 308 in a resumable upload. */
  isAccepted: (status: number) => boolean;
}

const MAX_REDIRECTS = 5;

/** The origins that are sent the access token. A redirect to any other host is followed without it. */
export function trustedOrigins({ baseUrl, uploadUrl }: Service): ReadonlySet<string> {
  return new Set([new URL(baseUrl).origin, new URL(uploadUrl).origin]);
}

/**
 * @param send sends the request to a URL, with the access token only if the URL is trusted
 * @returns what `send` returns for the first response that isn't a redirect
 * @throws `bad_response` after too many redirects or one that the policy forbids; as {@link safeLocation}
 */
export async function followRedirects<T extends { response: HttpResponse }>(
  { isAccepted, trustedOrigins: trusted, ...request }: RedirectOptions,
  send: (url: string, isTrusted: boolean) => Promise<T>,
): Promise<T> {
  let { url } = request;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const sent = await send(url, trusted.has(new URL(url).origin));
    const { status, headers, body } = sent.response;
    if (!isRedirect(status) || isAccepted(status)) return sent;
    body.destroy();
    url = redirectTarget({ ...request, url }, headers['location']);
  }
  throw badResponse('bad_response_redirects', { limit: MAX_REDIRECTS });
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirectTarget(
  { method, url, redirects = 'same-origin' }: Omit<RedirectOptions, 'isAccepted' | 'trustedOrigins'>,
  location: string | undefined,
): string {
  const target = location === undefined ? undefined : safeLocation(location, url);
  const isAllowed = redirects === 'anywhere' || target?.origin === new URL(url).origin;
  if (method !== 'GET' || !target || !isAllowed) throw badResponse('bad_response_redirect');
  return target.href;
}
