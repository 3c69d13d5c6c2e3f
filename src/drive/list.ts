/**
 * Lists files: page by page, or completely where a decision depends on what is missing, such as the content of folders.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import type { QueryValues } from '../http/url';
import { isBoolean, isNonEmptyString, isObjectArray } from '../core/validator';
import { member, optionalMember } from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, filesUrl, rootId, isOutside, markOutside, ifSupported } from './drive-context';
import { requiredInLists, validateFile, withFields, withOptionalFields } from './fields';
import { badResponse, type ErrorParams, isDriveError, type TextWith, uncheckedError } from '../errors';
import { isFolder } from './mime-types';
import { allOf, anyOf, inParents, isTrashed, notTrashed } from './query';

export interface FileList {
  files: DriveFile[];
  /** The service reported that files may be missing. */
  incompleteSearch: boolean;
}

export type ListedPage = FileList & Page;

/** @returns the folders in groups for one query each: single ones for a custom service, which may not support `or` */
export function inQueries<T>({ service }: DriveContext, folders: readonly T[], perQuery: number): T[][] {
  const size = service.can.queries ? perQuery : 1;
  return Array.from({ length: Math.ceil(folders.length / size) }, (_, index) =>
    folders.slice(index * size, (index + 1) * size),
  );
}

export interface ListQuery {
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
  request: ListQuery,
  call: CallOptions,
): AsyncGenerator<ListedPage> {
  const recent = new RecentFiles();
  const requestPage = async (pageToken: string | undefined): Promise<ListedPage> => {
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
  request: ListQuery,
  call: CallOptions,
  pageToken?: string,
): Promise<ListedPage> {
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

function listQuery(service: Service, request: ListQuery, pageToken: string | undefined): QueryValues {
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

const MAX_EMPTY_PAGES = 100;

export interface Page {
  /** Undefined for the last page. */
  nextPageToken?: string | undefined;
}

/**
 * Yields all pages: only a missing `nextPageToken` ends a list.
 * @param request with the token of the page; undefined for the first page, unless there is a `start`
 * @throws `bad_response`, also for an endless list
 */
export async function* allPages<T extends Page>(
  request: (pageToken: string | undefined) => Promise<T>,
  itemsOf: (page: T) => readonly unknown[],
  start?: string,
): AsyncGenerator<T> {
  const guard = new PageGuard();
  let pageToken = start;
  do {
    const page = await request(pageToken);
    yield page;
    const { nextPageToken } = page;
    guard.check({ pageToken, nextPageToken, itemCount: itemsOf(page).length });
    pageToken = nextPageToken;
  } while (pageToken !== undefined);
}

interface PageInfo extends Page {
  /** The token that the page was requested with; undefined for the first page. */
  pageToken: string | undefined;
  itemCount: number;
}

/** Checks the pages of one list in their order: a service may return a page token again, or empty pages without end. */
export class PageGuard {
  private readonly pageTokens = new Set<string>();
  private emptyPages = 0;

  /** @throws `bad_response` for a repeated page token, or more than 100 empty pages in a row */
  check({ pageToken, nextPageToken, itemCount }: PageInfo): void {
    if (pageToken !== undefined) this.pageTokens.add(pageToken);
    if (nextPageToken !== undefined && this.pageTokens.has(nextPageToken))
      throw badResponse('bad_response_page_token');
    this.emptyPages = itemCount === 0 ? this.emptyPages + 1 : 0;
    if (nextPageToken !== undefined && this.emptyPages > MAX_EMPTY_PAGES)
      throw badResponse('bad_response_empty_pages', { limit: MAX_EMPTY_PAGES });
  }
}

/** A list that may be incomplete is usually complete when it is requested again. */
const MAX_ATTEMPTS = 3;
const DEFAULT_TEXT = 'bad_response_incomplete';

interface CompleteList {
  /** Called for each attempt. The requests of all attempts share a retry budget. */
  pages: (call: CallOptions) => AsyncIterable<FileList>;
  /** Of the error. */
  text?: TextWith<'name'>;
  params?: ErrorParams;
}

/**
 * A list counts as incomplete if the service says so for one of its pages. It is then requested again.
 * @param read gets the files page by page. Called for each attempt
 * @throws `bad_response` for a list that stays incomplete
 */
export function readComplete<T>(
  { engine }: DriveContext,
  { pages, text = DEFAULT_TEXT, params = {} }: CompleteList,
  read: (files: AsyncIterable<DriveFile[]>) => Promise<T>,
  call: CallOptions,
): Promise<T> {
  let attempts = 0;
  async function* completePages(budgeted: CallOptions): AsyncGenerator<DriveFile[]> {
    for await (const { files, incompleteSearch } of pages(budgeted)) {
      if (incompleteSearch)
        throw uncheckedError('bad_response', text, params, { retryable: ++attempts < MAX_ATTEMPTS });
      yield files;
    }
  }
  return engine.retry((budgeted) => read(completePages(budgeted)), call);
}

/** Whether a list stayed incomplete. */
export function isIncomplete(error: unknown): boolean {
  return isDriveError(error) && error.text.startsWith(DEFAULT_TEXT);
}

/** @returns the files that match. @throws as {@link readComplete} */
export function listComplete(
  drive: DriveContext,
  list: CompleteList & { isMatch?: (file: DriveFile) => boolean },
  call: CallOptions,
): Promise<DriveFile[]> {
  const { isMatch = () => true } = list;
  const collect = async (pages: AsyncIterable<DriveFile[]>): Promise<DriveFile[]> => {
    const found: DriveFile[] = [];
    for await (const files of pages) for (const file of files) if (isMatch(file)) found.push(file);
    return found;
  };
  return readComplete(drive, list, collect, call);
}

/** Folders in one query: their ids take half the URL length that servers accept. */
export const FOLDERS_PER_QUERY = 50;

interface ChildrenRequest<T> extends Pick<CompleteList, 'text'> {
  /** Of the files; their ids are added. */
  fields: string;
  /** Lists only what is in the trash; by default only what isn't. */
  trashed?: boolean;
  /** @returns undefined for a file to leave out */
  toItem: (file: DriveFile) => T | undefined;
}

/**
 * Lists what is in folders, several with one query where the service supports that.
 * @returns the items of each folder, by its id
 * @throws `bad_response` if a list stays incomplete; `not_found`
 */
export async function listChildren<T>(
  drive: DriveContext,
  folderIds: readonly string[],
  request: ChildrenRequest<T>,
  call: CallOptions,
): Promise<Map<string, T[]>> {
  const contents = new Map<string, T[]>();
  const list = async (ids: readonly string[]): Promise<boolean> => {
    const found = await listOneQuery(drive, ids, request, call);
    for (const [id, items] of found ?? []) contents.set(id, [...items.values()]);
    return found !== undefined;
  };
  for (const ids of inQueries(drive, folderIds, FOLDERS_PER_QUERY))
    if (!(await list(ids))) for (const id of ids) await list([id]);
  return contents;
}

/** @returns items by their ids, by the ids of folders; undefined if a file can't be assigned to one of the folders */
function listOneQuery<T>(
  drive: DriveContext,
  folderIds: readonly string[],
  { fields, trashed = false, toItem, text }: ChildrenRequest<T>,
  call: CallOptions,
): Promise<Map<string, Map<string, T>> | undefined> {
  const { service } = drive;
  const { queries } = service.can;
  const terms = [anyOf(folderIds.map(inParents)), ...(queries ? [trashed ? isTrashed : notTrashed] : [])];
  const anyDrive = folderIds.some((id) => isOutside(drive, id));
  const required = [
    'id',
    'mimeType',
    ...(queries ? [] : ['trashed']),
    ...(folderIds.length > 1 ? ['parents'] : []),
  ];
  const list = { q: allOf(terms), fields: withFields(fields, required), anyDrive };
  const read = async (
    pages: AsyncIterable<DriveFile[]>,
  ): Promise<Map<string, Map<string, T>> | undefined> => {
    // By id: a list that changes while its pages are read may contain a file twice.
    const contents = new Map(folderIds.map((id) => [id, new Map<string, T>()]));
    for await (const files of pages) {
      for (const file of files) {
        if (file.trashed === true ? !trashed : trashed && !queries) continue;
        const folders = foldersOf(service, file, folderIds);
        if (folders.length === 0) return undefined;
        if (anyDrive && isFolder(service, file.mimeType)) markOutside(drive, file.id);
        const item = toItem(file);
        if (item !== undefined) for (const id of folders) contents.get(id)?.set(file.id, item);
      }
    }
    return contents;
  };
  const pages = (budgeted: CallOptions) => listPages(drive, list, budgeted);
  return readComplete(drive, { pages, text }, read, call);
}

/** @returns those of the listed folders that a file is in */
function foldersOf(
  service: Service,
  { parents = [] }: DriveFile,
  folderIds: readonly string[],
): readonly string[] {
  if (folderIds.length === 1) return folderIds;
  const known = folderIds.filter((id) => parents.includes(id));
  // Of a file in the root, `parents` contains the root's own id instead of the alias.
  const isInRoot = known.length === 0 && parents.length > 0;
  return isInRoot ? folderIds.filter((id) => id === rootId(service)) : known;
}

/** @returns true also if the list may be incomplete. An empty page alone doesn't prove that a folder is empty. */
export async function hasChildren(
  drive: DriveContext,
  folderId: string,
  call: CallOptions,
): Promise<boolean> {
  const request = { q: inParents(folderId), fields: 'id', pageSize: 1 };
  for await (const { files, incompleteSearch } of listPages(drive, request, call)) {
    if (files.length > 0 || incompleteSearch) return true;
  }
  return false;
}

/** As {@link hasChildren} for the id of a file or folder: false if a custom service rejects the query for a file. */
export async function isNonEmptyFolder(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  return (await ifSupported(drive.service, 'metadata', hasChildren(drive, id, call))) ?? false;
}
