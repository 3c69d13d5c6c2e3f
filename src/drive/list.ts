/**
 * Lists files page by page.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import type { QueryValues } from '../http/url';
import { isBoolean, isNonEmptyString, isObjectArray } from '../core/validator';
import { member, optionalMember } from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, filesUrl } from './drive-context';
import { requiredInLists, validateFile, withFields } from './fields';
import { withOptionalFields } from './optional-fields';
import { type Page, allPages } from './pages';

export interface FileList {
  files: DriveFile[];
  /** The service reported that files may be missing. */
  incompleteSearch: boolean;
}

export type FilePage = FileList & Page;

/** @returns the folders in groups for one query each: single ones for a custom service, which may not support `or` */
export function inQueries<T>({ service }: DriveContext, folders: readonly T[], perQuery: number): T[][] {
  const size = service.can.queries ? perQuery : 1;
  return Array.from({ length: Math.ceil(folders.length / size) }, (_, index) =>
    folders.slice(index * size, (index + 1) * size),
  );
}

export interface ListRequest {
  q: string;
  /** Fields of a file, to which the id is added. */
  fields: string;
  orderBy?: string;
  /** Also lists folders outside the account's shared drive. */
  anyDrive?: boolean;
  /** A shared drive instead of the account's drive. */
  driveId?: string;
  /** The most files of a page; by default the most that the service allows. */
  pageSize?: number;
}

const MAX_PAGE_SIZE = 1_000;
/** At least as many; 5 pages. */
const REMEMBERED_FILES = 5_000;

/** As {@link allPages}, each file once as far as {@link RecentFiles} knows. */
export function listPages(
  drive: DriveContext,
  request: ListRequest,
  call: CallOptions,
): AsyncGenerator<FilePage> {
  const recent = new RecentFiles();
  const requestPage = async (pageToken: string | undefined): Promise<FilePage> => {
    const { files, ...page } = await listPage(drive, request, call, pageToken);
    return { files: recent.withoutRepeated(files), ...page };
  };
  return allPages(requestPage, ({ files }) => files);
}

/**
 * Recognizes a file that a list contains again, as when files are added while its pages are read. Remembers only the IDs
 * of the last files, so that the memory doesn't grow with the list: a file that comes again later is repeated.
 */
export class RecentFiles {
  private ids = new Set<string>();
  private earlierIds = new Set<string>();

  /** How many IDs are remembered. */
  get size(): number {
    return this.ids.size + this.earlierIds.size;
  }

  /** @returns the files that are not among the last {@link REMEMBERED_FILES} */
  withoutRepeated(files: DriveFile[]): DriveFile[] {
    const found = files.filter(({ id }) => {
      if (this.ids.has(id) || this.earlierIds.has(id)) return false;
      this.ids.add(id);
      return true;
    });
    if (this.ids.size >= REMEMBERED_FILES) [this.earlierIds, this.ids] = [this.ids, new Set()];
    return found.length === files.length ? files : found;
  }
}

/**
 * @param pageToken from the previous page; undefined for the first page
 * @throws `bad_response`, also if a file has no id, or no name although it was requested
 */
export async function listPage(
  drive: DriveContext,
  request: ListRequest,
  call: CallOptions,
  pageToken?: string,
): Promise<FilePage> {
  const { engine, service } = drive;
  const listed = withFields(request.fields, ['id']);
  const response = await withOptionalFields(drive, listed, (fields) => {
    const query = listQuery(service, { ...request, fields }, pageToken);
    return engine.requestJson({ method: 'GET', url: filesUrl(service), query }, call);
  });
  const required = requiredInLists(listed);
  return {
    files: member(response, 'files', isObjectArray).map((file) => validateFile(file, required)),
    incompleteSearch: optionalMember(response, 'incompleteSearch', isBoolean) ?? false,
    nextPageToken: optionalMember(response, 'nextPageToken', isNonEmptyString),
  };
}

function listQuery(service: Service, request: ListRequest, pageToken: string | undefined): QueryValues {
  const { q, fields, orderBy, pageSize = MAX_PAGE_SIZE } = request;
  const query = {
    q: q || undefined,
    fields: `nextPageToken,incompleteSearch,files(${fields})`,
    orderBy: orderBy || undefined,
    pageToken,
    spaces: service.space,
    pageSize: service.can.pageSize || pageToken !== undefined ? pageSize : undefined,
  };
  if (!service.can.sharedDrives) return query;
  const { driveId = service.space ? '' : service.driveId } = request;
  const corpus = request.anyDrive ? { corpora: 'allDrives' } : { corpora: 'drive', driveId };
  return {
    ...query,
    supportsAllDrives: true,
    includeItemsFromAllDrives: true,
    ...(driveId !== '' && corpus),
  };
}
