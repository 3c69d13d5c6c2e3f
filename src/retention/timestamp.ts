/** Times of files, as the service writes them. RFC 3339 */

/** @returns ms since 1970, undefined without a valid time */
export function parseTimestamp(text = ''): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
