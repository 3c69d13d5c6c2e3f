/**
 * Lists that must be complete, because a decision depends on what is missing in them. A list counts as incomplete if
 * the service says so for one of its pages (`incompleteSearch`). It is then requested again.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list
 */
import { type ErrorParams, type TextWith, isDriveError, uncheckedError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import type { DriveContext } from './drive-context';
import type { FileList } from './list';

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
