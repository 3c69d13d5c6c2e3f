/** What the headers of a content answer say of the file, for a service without a metadata request. */
import type { DriveFile } from '../types';

type Headers = Readonly<Record<string, string | undefined>>;

/** @returns the id, and `name`, `mimeType` and `size` where the headers have them */
export function fileFromHeaders(id: string, headers: Headers): DriveFile {
  const name = nameFrom(headers['content-disposition']);
  const mimeType = headers['content-type']?.split(';')[0]?.trim();
  const size = headers['content-length'];
  return {
    id,
    ...(name ? { name } : {}),
    ...(mimeType ? { mimeType } : {}),
    ...(size !== undefined && /^\d{1,15}$/.test(size) ? { size } : {}),
  };
}

/** `filename*` before `filename`: RFC 6266 4.3. */
export function nameFrom(disposition: string | undefined): string | undefined {
  if (disposition === undefined) return undefined;
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]*)/i.exec(disposition);
  const decoded = extended?.[1] === undefined ? undefined : decodedOrNot(extended[1]);
  if (decoded) return decoded;
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/i.exec(disposition);
  const text = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2];
  return text ? utf8(text) : undefined;
}

function decodedOrNot(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Node reads headers as Latin-1; many services write UTF-8 there. */
function utf8(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}
