/**
 * Files or folders of a folder. The Google preset asks the service for all of it; a custom service is asked only
 * what service.md 4.5 lists, and the rest is decided here.
 */
import { allOf, inParents, mimeTypeIs, mimeTypeIsNot, nameContains, notTrashed } from '../query';
import type { CallOptions, DriveFile, Service } from '../types';
import { type Drive, folderMimeType, isFolder } from './drive';
import { onlyFields, withFields } from './file-fields';
import { pages } from './list';

export interface Search {
  /** Folder id; undefined looks everywhere. */
  folderId?: string;
  /** Part of the name; `''` is every name. */
  text: string;
  kind: 'files' | 'folders' | 'any';
  includeTrashed: boolean;
  fields: string;
  orderBy?: string;
}

export interface SearchPage {
  files: DriveFile[];
  incompleteSearch: boolean;
}

/** @throws `not_configured` for folders of a custom service whose folder media type isn't set */
export async function* search(drive: Drive, wanted: Search, call: CallOptions): AsyncGenerator<SearchPage> {
  const { service } = drive;
  const needed = neededFields(service, wanted);
  const request = {
    q: allOf(terms(service, wanted)),
    fields: withFields(wanted.fields, needed),
    ...(wanted.orderBy ? { orderBy: wanted.orderBy } : {}),
  };
  for await (const page of pages(drive, request, call)) {
    if (needed.length === 0) yield page;
    else {
      const files = page.files.filter((file) => isWanted(service, wanted, file));
      yield { ...page, files: files.map((file) => onlyFields(file, wanted.fields)) };
    }
  }
}

function terms(service: Service, { folderId, text, kind, includeTrashed }: Search): string[] {
  const onlyCore = service.kind === 'custom';
  return [
    ...(folderId === undefined ? [] : [inParents(folderId)]),
    ...(kind === 'folders' ? [mimeTypeIs(folderMimeType(service))] : []),
    ...(kind === 'files' && !onlyCore ? [mimeTypeIsNot(folderMimeType(service))] : []),
    ...(text === '' ? [] : [nameContains(text)]),
    ...(includeTrashed || onlyCore ? [] : [notTrashed]),
  ];
}

function neededFields(service: Service, { kind, includeTrashed }: Search): string[] {
  if (service.kind !== 'custom') return [];
  return [...(includeTrashed ? [] : ['trashed']), ...(kind === 'files' ? ['mimeType'] : [])];
}

function isWanted(service: Service, { kind, includeTrashed }: Search, file: DriveFile): boolean {
  if (!includeTrashed && file.trashed === true) return false;
  return kind !== 'files' || !isFolder(service, file.mimeType);
}
