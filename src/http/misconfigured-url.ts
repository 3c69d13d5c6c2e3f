/** An address of the account that leads elsewhere: it shows only by what comes from there. Errors then say which. */
import { DriveError } from '../errors';
import type { Service } from '../types';

/** The error for what nothing but a wrong address explains. @param address as {@link urlName} gives it */
export function misconfiguredUrl(address: string, status: number): DriveError {
  return new DriveError('bad_response', {
    text: 'bad_response_address',
    params: { address, status },
    status,
  });
}

/** How a person knows the address of a request: the account's property, or the host where it is the preset's. */
export function urlName({ kind, baseUrl, uploadUrl }: Service, url: string): string {
  if (kind === 'google') return new URL(url).host;
  return uploadUrl !== baseUrl && url.startsWith(`${uploadUrl}/upload/`) ? 'uploadUrl' : 'baseUrl';
}

/**
 * Adds to an error which address may be behind it. A custom service need not say what it doesn't find:
 * without a reason it may be the file, or all that is behind the address.
 */
export function nameMisconfiguredUrl(error: DriveError, service: Service, url: string): DriveError {
  const { code, text, status, reason, params } = error;
  const isUnsaid = code === 'not_found' && reason === undefined && service.kind === 'custom';
  if (!isUnsaid && text !== 'bad_response_no_json') return error;
  return new DriveError(code, {
    text: isUnsaid ? 'not_found_address' : text,
    params: { ...params, address: urlName(service, url) },
    status,
  });
}
