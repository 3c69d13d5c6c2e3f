/**
 * MIME types: what an item is, and the extensions of files.
 * https://developers.google.com/workspace/drive/api/guides/mime-types
 */
import { DriveError } from '../errors';
import type { Service } from '../types';
import type { extension, lookup } from 'mime-types';

/** A document, such as a Google Doc, has no content of its own: it can only be exported. */
export type ItemKind = 'folder' | 'shortcut' | 'document' | 'file';

/** Types of the items that aren't plain files. The vendor isn't always Google. */
const NATIVE_TYPE = /^application\/vnd\.[^/]+-apps\.(.+)$/;

export function itemKind({ folderMimeType: folder }: Service, mimeType = ''): ItemKind {
  const type = NATIVE_TYPE.exec(mimeType)?.[1];
  if (type === 'folder' || (folder !== '' && mimeType === folder)) return 'folder';
  if (type === undefined) return 'file';
  return type === 'shortcut' ? 'shortcut' : 'document';
}

export function isFolder(service: Service, mimeType: string | undefined): boolean {
  return itemKind(service, mimeType) === 'folder';
}

/** @throws `not_configured` if the account has no folder MIME type */
export function folderMimeType(service: Service): string {
  if (service.folderMimeType) return service.folderMimeType;
  throw new DriveError('not_configured', { text: 'not_configured_folder_type' });
}

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
