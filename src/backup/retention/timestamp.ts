/** Times of files, as the service writes them. RFC 3339 */
import type { DriveFile } from '../../types';

/** @returns ms since 1970, undefined without a valid time */
export function parseTimestamp(text = ''): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * By the service's clock. A file copied from elsewhere often keeps its modified time, which is then the earlier
 * one.
 * @returns ms since 1970, undefined if unknown
 */
export function storedAt({
  createdTime,
  modifiedTime,
}: Pick<DriveFile, 'createdTime' | 'modifiedTime'>): number | undefined {
  const [created, modified] = [parseTimestamp(createdTime), parseTimestamp(modifiedTime)];
  return created === undefined || modified === undefined
    ? (created ?? modified)
    : Math.min(created, modified);
}
