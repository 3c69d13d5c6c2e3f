/**
 * Parts of a content: the headers that ask for them and that name them. RFC 9110 14, and for uploads
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */

/** First byte and the one behind the last. */
export interface ContentRange {
  start: number;
  end: number;
  /** Length of the whole, where it is said. */
  total?: number;
}

/** `Range` of a request for everything from a byte on. */
export function rangeFrom(start: number): string {
  return `bytes=${start}-`;
}

/** `Content-Range` of a part that is sent; it holds at least one byte. */
export function contentRange({ start, end, total }: ContentRange): string {
  return `bytes ${start}-${end - 1}/${total ?? '*'}`;
}

/** `Content-Range` of an empty request that asks how much of an upload is stored. */
export function statusRange(total: number): string {
  return `bytes */${total}`;
}

/** Reads the `Content-Range` of an answer. @returns undefined where it is missing or makes no sense */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)\s*$/i.exec(header ?? '');
  if (!match) return undefined;
  const span = { start: Number(match[1]), end: Number(match[2]) + 1 };
  const total = match[3] === undefined ? undefined : Number(match[3]);
  if (span.end <= span.start || span.end > (total ?? Infinity)) return undefined;
  return total === undefined ? span : { ...span, total };
}

/**
 * Reads the `Range` of a 308: what the service has stored.
 * @returns the number of bytes from the beginning, 0 where there is no header, undefined where it makes no sense
 */
export function parseStoredRange(header: string | undefined): number | undefined {
  if (header === undefined) return 0;
  const match = /^\s*bytes[=\s]\s*0-(\d{1,15})\s*$/i.exec(header);
  return match ? Number(match[1]) + 1 : undefined;
}
