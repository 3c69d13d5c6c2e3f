/** Errors caused by a wrong URL in the account, which only the responses reveal. They name the property. */
import { DriveError } from '../errors';
import type { Service } from '../types';

/** The error for a response that only a wrong URL explains. @param name as {@link urlName} returns it */
export function misconfiguredUrl(name: string, status: number): DriveError {
  return new DriveError('bad_response', {
    text: 'bad_response_address',
    params: { address: name, status },
    status,
  });
}

/** @returns the account property that the URL comes from, or its host for the Google preset */
export function urlName({ can, baseUrl, uploadUrl }: Service, url: string): string {
  if (can.presetUrls) return new URL(url).host;
  return uploadUrl !== baseUrl && url.startsWith(`${uploadUrl}/upload/`) ? 'uploadUrl' : 'baseUrl';
}

/**
 * Adds the URL's property to an error that it may have caused. If a custom service gives no reason for a 404, either
 * the file or the endpoint may be missing.
 */
export function nameMisconfiguredUrl(error: DriveError, service: Service, url: string): DriveError {
  const { code, text, status, reason } = error;
  const isAmbiguous = code === 'not_found' && reason === undefined && !service.can.errorReasons;
  if (!isAmbiguous && text !== 'bad_response_no_json') return error;
  const named = { address: urlName(service, url) };
  return isAmbiguous
    ? new DriveError(code, { text: 'not_found_address', params: named, status })
    : error.with({ params: named, status });
}
