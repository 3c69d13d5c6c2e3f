/** Reads a file's metadata from the headers of its content, for a service without metadata requests. */
import type { ResponseHeaders } from '../../http/client';
import type { DriveFile } from '../../types';

/** @returns the id, and the `name`, `mimeType` and `size` that the headers contain */
export function fileFromHeaders(id: string, headers: ResponseHeaders): DriveFile {
  const name = fileNameFrom(headers['content-disposition']);
  const mimeType = headers['content-type']?.split(';')[0]?.trim();
  const size = headers['content-length'];
  const isSize = size !== undefined && /^\d{1,15}$/.test(size);
  return { id, ...(name && { name }), ...(mimeType && { mimeType }), ...(isSize && { size }) };
}

/** `filename*` takes precedence over `filename`: RFC 6266 4.3. */
export function fileNameFrom(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]*)/i.exec(disposition)?.[1];
  const decoded = extended === undefined ? undefined : percentDecoded(extended);
  if (decoded) return decoded;
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i.exec(disposition);
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  return name ? latin1ToUtf8(name) : undefined;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Node decodes headers as Latin-1, but many services send UTF-8. */
function latin1ToUtf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
