/** Where the content of a resumable upload goes. Whoever has this address can write the file: it is never shown. */
import { badAnswer } from '../http/json';
import { safeLocation } from '../http/safe-location';

/**
 * @param location the header, which may be relative
 * @param base of the request it answers
 * @throws `bad_response` where it is missing or nothing that {@link safeLocation} takes, `insecure_url`
 */
export function sessionAddress(location: string | undefined, base: string): string {
  if (!location) throw badAnswer('bad_response_missing', { member: 'Location' });
  const url = safeLocation(location, base);
  if (!url) throw badAnswer('bad_response_type', { member: 'Location' });
  return url.href;
}
