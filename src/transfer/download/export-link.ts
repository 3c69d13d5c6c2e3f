/**
 * Download links for exports, also for those above the size limit of the export request. A link leads to another
 * origin, which gets no token. So it works for files that are shared with everyone who has the link; otherwise it
 * returns a sign-in page. https://developers.google.com/workspace/drive/api/reference/rest/v3/files
 */
import { DriveError, isDriveError } from '../../errors';
import type { HttpResponse } from '../../http/client';
import { secureUrl } from '../../http/url';

/** MIME type of sign-in pages. */
const HTML = 'text/html';
const TOO_LARGE = 'exportSizeLimitExceeded';

/** @returns undefined for an invalid link, and for HTML exports, which look like a sign-in page */
export function usableExportLink(link: unknown, mimeType: string): string | undefined {
  if (typeof link !== 'string' || mimeType === HTML) return undefined;
  try {
    return secureUrl(link, 'exportLinks').href;
  } catch {
    return undefined;
  }
}

export function isExportTooLarge(error: unknown): boolean {
  return isDriveError(error) && error.reason === TOO_LARGE;
}

/** @throws `not_downloadable` if the response is a sign-in page */
export function rejectSignInPage({ status, headers }: HttpResponse): void {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === HTML) throw linkNotReadable(status);
}

/** @returns `not_downloadable` if the link's host refuses the request; other errors unchanged */
export function mapLinkError(error: unknown): unknown {
  if (!isDriveError(error) || error.retryable || error.status === undefined) return error;
  return isExportTooLarge(error) ? error : linkNotReadable(error.status);
}

function linkNotReadable(status: number): DriveError {
  return new DriveError('not_downloadable', {
    text: 'not_downloadable_export_link',
    params: { status },
    status,
    reason: TOO_LARGE,
  });
}
