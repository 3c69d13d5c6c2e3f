/** Checks the URL of an upload session. It grants write access to the file, so it is never shown or logged. */
import { badResponse } from '../../http/json';
import { safeLocation } from '../../http/safe-location';

/**
 * @param location the `Location` header, which may be relative
 * @param base URL of the request
 * @throws `bad_response` if it is missing or {@link safeLocation} rejects it, `insecure_url`
 */
export function checkedSessionUrl(location: string | undefined, base: string): string {
  if (!location) throw badResponse('bad_response_missing', { member: 'Location' });
  const url = safeLocation(location, base);
  if (!url) throw badResponse('bad_response_type', { member: 'Location' });
  return url.href;
}
