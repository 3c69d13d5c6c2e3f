/**
 * Lists that must be complete, because a decision depends on what is missing in them. A list counts as incomplete if
 * the service says so for one of its pages (`incompleteSearch`). It is then requested again.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import { type ErrorParams, type TextWith, isDriveError, uncheckedError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, rootId } from './drive-context';
import { withFields } from './fields';
import { isFolder } from './item-kind';
import { type FileList, inQueries, listPages } from './list';
import { isOutside, markOutside } from './outside-drive';
import { allOf, anyOf, inParents, isTrashed, notTrashed } from './query';

/** A list that may be incomplete is usually complete when it is requested again. */
const MAX_ATTEMPTS = 3;
const DEFAULT_TEXT = 'bad_response_incomplete';

export interface CompleteList {
  /** Called for each attempt. The requests of all attempts share a retry budget. */
  pages: (call: CallOptions) => AsyncIterable<FileList>;
  /** Of the error. */
  text?: TextWith<'name'>;
  params?: ErrorParams;
}

/**
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

export interface ChildrenRequest<T> extends Pick<CompleteList, 'text'> {
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
  const foldersOf = ({ parents = [] }: DriveFile): readonly string[] => {
    if (folderIds.length === 1) return folderIds;
    const known = folderIds.filter((id) => parents.includes(id));
    // Of a file in the root, `parents` contains the root's own id instead of the alias.
    const isInRoot = known.length === 0 && parents.length > 0;
    return isInRoot ? folderIds.filter((id) => id === rootId(service)) : known;
  };
  const read = async (
    pages: AsyncIterable<DriveFile[]>,
  ): Promise<Map<string, Map<string, T>> | undefined> => {
    // By id: a list that changes while its pages are read may contain a file twice.
    const contents = new Map(folderIds.map((id) => [id, new Map<string, T>()]));
    for await (const files of pages) {
      for (const file of files) {
        if (file.trashed === true ? !trashed : trashed && !queries) continue;
        const folders = foldersOf(file);
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
