/** What an item is, by its MIME type. https://developers.google.com/workspace/drive/api/guides/mime-types */
import { DriveError } from '../errors';
import type { Service } from '../types';

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
