/** Where the content of a resumable upload goes. Whoever has this address can write the file: it is never shown. */
import { secureUrl } from '../http/address';
import { badAnswer } from '../http/json';

/**
 * @param location the header, which may be relative
 * @param base of the request it answers
 * @throws `bad_response` where it is missing or no http(s) address, `insecure_url`
 */
export function sessionAddress(location: string | undefined, base: string): string {
  if (!location) throw badAnswer('bad_response_missing', { member: 'Location' });
  let url: URL;
  try {
    url = new URL(location, base);
  } catch {
    throw badAnswer('bad_response_type', { member: 'Location' });
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw badAnswer('bad_response_type', { member: 'Location' });
  }
  return secureUrl(url.href, 'Location').href;
}
