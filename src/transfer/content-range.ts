/**
 * `Range` and `Content-Range` of downloads (RFC 9110 14) and of resumable uploads:
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */

/** `start` is the first byte, `end` the byte after the last. */
interface ContentRange {
  start: number;
  end: number;
  /** Length of the whole content, if known. */
  total?: number;
}

/** `Content-Range` of a part of an upload, which must not be empty. */
export function contentRange({ start, end, total }: ContentRange): string {
  return `bytes ${start}-${end - 1}/${total ?? '*'}`;
}

/** `Content-Range` of a status query: an empty request for the number of stored bytes. */
export function statusRange(total: number | undefined): string {
  return `bytes */${total ?? '*'}`;
}

/** Parses the `Content-Range` of a response. @returns undefined if it is missing or invalid */
export function parseContentRange(header: string | undefined): ContentRange | undefined {
  const match = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(?:(\d{1,15})|\*)\s*$/i.exec(header ?? '');
  if (!match) return undefined;
  const range = { start: Number(match[1]), end: Number(match[2]) + 1 };
  const total = match[3] === undefined ? undefined : Number(match[3]);
  if (range.end <= range.start || range.end > (total ?? Infinity)) return undefined;
  return total === undefined ? range : { ...range, total };
}

/**
 * Parses the `Range` of a 308 response to an upload.
 * @returns the number of bytes stored, 0 without the header, undefined if it is invalid
 */
export function parseStoredRange(header: string | undefined): number | undefined {
  if (header === undefined) return 0;
  const match = /^\s*bytes[=\s]\s*0-(\d{1,15})\s*$/i.exec(header);
  return match ? Number(match[1]) + 1 : undefined;
}
