/**
 * Links to a native document's exports, also to those that are larger than what the service exports itself. They lead to
 * an origin that gets no token: so they give what everybody who has the link may read, and else a page to sign in at.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { DriveError, isDriveError } from '../errors';
import { secureUrl } from '../http/url';
import type { HttpResponse } from '../http/client';

/** What pages to sign in at are made of. */
const PAGE = 'text/html';
const TOO_LARGE = 'exportSizeLimitExceeded';

/** @returns undefined where there is none that can be used, and where its answer couldn't be told from such a page */
export function exportLink(link: unknown, mimeType: string): string | undefined {
  if (typeof link !== 'string' || mimeType === PAGE) return undefined;
  try {
    return secureUrl(link, 'exportLinks').href;
  } catch {
    return undefined;
  }
}

export function isTooLarge(error: unknown): boolean {
  return isDriveError(error) && error.reason === TOO_LARGE;
}

/** @throws `not_downloadable` for a page in the place of the export */
export function refusePage({ status, headers }: HttpResponse): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === PAGE) throw unreadable(status);
}

/** @returns the error of a link that was followed: refused for good, it wants somebody who is signed in */
export function linkRefusal(error: unknown): unknown {
  if (!isDriveError(error) || error.retryable || error.status === undefined) return error;
  return isTooLarge(error) ? error : unreadable(error.status);
}

function unreadable(status: number): DriveError {
  return new DriveError('not_downloadable', {
    text: 'not_downloadable_export_link',
    params: { status },
    status,
    reason: TOO_LARGE,
  });
}
