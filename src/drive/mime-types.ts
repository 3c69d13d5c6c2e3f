/** MIME types and file extensions. https://www.iana.org/assignments/media-types */
import type { extension, lookup } from 'mime-types';

interface MimeTypes {
  extension: typeof extension;
  lookup: typeof lookup;
}

/** Loaded on first use: the table takes half of this package's load time. */
function mimeTypes(): MimeTypes {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('mime-types') as MimeTypes;
}

/** @param name of a file, or an extension with or without its dot. @returns undefined for an unknown extension */
export function mimeTypeByName(name: string): string | undefined {
  return mimeTypes().lookup(name) || undefined;
}

/** @returns the usual extension without its dot; undefined for an unknown MIME type */
export function extensionOf(mimeType: string): string | undefined {
  return mimeTypes().extension(mimeType) || undefined;
}
