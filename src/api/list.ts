/**
 * Lists of files, all pages of them.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import type { QueryValues } from '../http/url';
import {
  type JsonObject,
  badAnswer,
  isBoolean,
  isFilledString,
  isObject,
  optionalMember,
} from '../http/json';
import type { CallOptions, DriveFile, Service } from '../types';
import type { DriveContext } from './drive-context';
import { validateFile, notAFile } from './fields';

export interface FileList {
  files: DriveFile[];
  /** The service said that entries may be missing. */
  incompleteSearch: boolean;
}

/** One page of a list. */
export interface FilePage extends FileList {
  /** Asks for the next page; undefined where there is none. */
  nextPageToken?: string;
}

export interface ListRequest {
  q: string;
  /** Fields of a file. */
  fields: string;
  orderBy?: string;
  /** Items a page may hold, at most; the service's largest page if absent. */
  pageSize?: number;
}

/** The most a page may hold. */
const PAGE_SIZE = 1_000;

/** So many pages in a row without an item are no list any more. */
const MOST_EMPTY = 100;

/** Yields page after page; only a missing `nextPageToken` says that there is no more. */
export async function* listPages(
  drive: DriveContext,
  request: ListRequest,
  call: CallOptions,
): AsyncGenerator<FileList> {
  const seen = new Set<string>();
  let pageToken: string | undefined;
  let empty = 0;
  do {
    const page = await listPage(drive, request, call, pageToken);
    empty = page.files.length === 0 ? empty + 1 : 0;
    if (empty > MOST_EMPTY) throw badAnswer('bad_response_empty_pages', { limit: MOST_EMPTY });
    yield page;
    pageToken = page.nextPageToken;
    if (pageToken !== undefined) {
      if (seen.has(pageToken)) throw badAnswer('bad_response_page_token');
      seen.add(pageToken);
    }
  } while (pageToken !== undefined);
}

/** @param pageToken of the page before; undefined asks for the first */
export async function listPage(
  drive: DriveContext,
  request: ListRequest,
  call: CallOptions,
  pageToken?: string,
): Promise<FilePage> {
  const query = listQuery(drive.service, request, pageToken);
  const url = `${drive.service.baseUrl}/drive/v3/files`;
  const answer = await drive.engine.json({ method: 'GET', url, query }, call);
  const nextPageToken = optionalMember(answer, 'nextPageToken', isFilledString);
  return { ...fileList(answer), ...(nextPageToken === undefined ? {} : { nextPageToken }) };
}

function listQuery(service: Service, request: ListRequest, pageToken?: string): QueryValues {
  const { q, fields, orderBy, pageSize = PAGE_SIZE } = request;
  const query = {
    ...(q ? { q } : {}),
    fields: `nextPageToken,incompleteSearch,files(${fields})`,
    ...(orderBy ? { orderBy } : {}),
    ...(pageToken === undefined ? {} : { pageToken }),
    ...(service.space ? { spaces: service.space } : {}),
  };
  // A custom service need know no paging: only a service that has answered with a token is asked for larger pages.
  if (service.kind === 'custom') return pageToken === undefined ? query : { ...query, pageSize };
  return {
    ...query,
    pageSize,
    supportsAllDrives: true,
    includeItemsFromAllDrives: true,
    ...(service.driveId && !service.space ? { corpora: 'drive', driveId: service.driveId } : {}),
  };
}

function fileList(answer: JsonObject): FileList {
  const { files } = answer;
  if (!Array.isArray(files)) {
    throw badAnswer(files === undefined ? 'bad_response_missing' : 'bad_response_type', { member: 'files' });
  }
  return {
    files: files.map((file: unknown) => (isObject(file) ? validateFile(file, false) : notAFile())),
    incompleteSearch: optionalMember(answer, 'incompleteSearch', isBoolean) ?? false,
  };
}
