/**
 * Files or folders of a folder. The Google preset asks the service for all of it; a custom service is asked only
 * what service.md 4.5 lists, and the rest is decided here.
 */
import { allOf, inParents, mimeTypeIs, mimeTypeIsNot, nameContains, notTrashed } from '../query';
import type { CallOptions, DriveFile, Service } from '../types';
import { type Drive, folderMimeType, isFolder } from './drive';
import { onlyFields, withFields } from './file-fields';
import { type FilePage, type ListRequest, onePage, pages } from './list';

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

/** A page of its own: where it begins, and how much it may hold. */
export interface PageOf {
  /** Of the page before; absent for the first. */
  pageToken?: string;
  /** A custom service's pages are as large as it likes. */
  pageSize: number;
}

/** @throws `not_configured` for folders of a custom service whose folder media type isn't set */
export async function* search(drive: Drive, wanted: Search, call: CallOptions): AsyncGenerator<SearchPage> {
  for await (const page of pages(drive, listRequest(drive.service, wanted), call)) {
    yield { ...page, files: chosen(drive.service, wanted, page.files) };
  }
}

/** One page of what {@link search} finds; it may be empty although there is a next one. */
export async function searchPage(
  { drive, wanted, call }: { drive: Drive; wanted: Search; call: CallOptions },
  { pageToken, pageSize }: PageOf,
): Promise<FilePage> {
  const request = { ...listRequest(drive.service, wanted), pageSize };
  const page = await onePage(drive, request, call, pageToken);
  return { ...page, files: chosen(drive.service, wanted, page.files) };
}

function listRequest(service: Service, wanted: Search): ListRequest {
  return {
    q: allOf(terms(service, wanted)),
    fields: withFields(wanted.fields, neededFields(service, wanted)),
    ...(wanted.orderBy ? { orderBy: wanted.orderBy } : {}),
  };
}

/** What the service could not be asked for is decided here. */
function chosen(service: Service, wanted: Search, files: DriveFile[]): DriveFile[] {
  if (neededFields(service, wanted).length === 0) return files;
  const found = files.filter((file) => isWanted(service, wanted, file));
  return found.map((file) => onlyFields(file, wanted.fields));
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
