/** Requests a part of a file's content. */
import { type DriveContext, fileUrl, sharedDriveParams } from '../../drive/drive-context';
import { DriveError } from '../../errors';
import type { DriveRequest } from '../../http/engine';

/** @param start of the bytes up to, without, `end`, which may be infinite */
export function rangeRequest(
  { service }: DriveContext,
  id: string,
  start: number,
  end: number,
): DriveRequest {
  const last = Number.isFinite(end) ? end - 1 : '';
  const isPart = (start > 0 || last !== '') && end > start;
  return {
    method: 'GET',
    url: fileUrl(service, id),
    query: { alt: 'media', ...sharedDriveParams(service) },
    headers: { 'Accept-Encoding': 'identity', ...(isPart && { Range: `bytes=${start}-${last}` }) },
    redirects: 'anywhere',
  };
}

/** A response that ended before all bytes had arrived. */
export function truncated(): DriveError {
  const reason = 'truncated';
  return new DriveError('network', { text: 'network', params: { reason }, reason, retryable: true });
}
