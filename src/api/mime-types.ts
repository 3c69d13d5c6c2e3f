/** Media types by the endings of names, and the other way round. https://www.iana.org/assignments/media-types */
import type { extension, lookup } from 'mime-types';

interface Table {
  extension: typeof extension;
  lookup: typeof lookup;
}

/** Loaded with the first file that needs it: its table would be half of what the start of Node-RED costs. */
function table(): Table {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('mime-types') as Table;
}

/** @param name of a file, or its ending alone with or without the dot; @returns undefined where it isn't known */
export function mimeTypeByName(name: string): string | undefined {
  return table().lookup(name) || undefined;
}

/** @returns the usual ending without its dot; undefined where there is none */
export function extensionOf(mimeType: string): string | undefined {
  return table().extension(mimeType) || undefined;
}
