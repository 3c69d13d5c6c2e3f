/** Finds the files of a folder that have one of some names. */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import type { DriveContext } from '../api/drive-context';
import { isFolder } from '../api/item-kind';
import { validateFile, withFields } from '../api/fields';
import { listPages } from '../api/list';
import { isOutside, markOutside } from '../api/outside-drive';
import { allOf } from '../api/query';
import { type NameQuery, nameQueryTerms, toNFC } from './name-query';

/** A list that may be incomplete is usually complete when it is requested again. */
const MAX_ATTEMPTS = 3;

/**
 * @returns the files, not trashed unless `trashed` is set, with at least the requested fields, `id` and `name`
 * @throws `bad_response` if the list may be incomplete: a file that is missing in it would be created again
 */
export function findByName(drive: DriveContext, query: NameQuery, call: CallOptions): Promise<DriveFile[]> {
  let attempts = 0;
  return drive.engine.retry(async (budgeted) => {
    const { files, isComplete } = await listByName(drive, query, budgeted);
    if (isComplete) return files;
    const params = { name: query.names[0] ?? '' };
    const retryable = ++attempts < MAX_ATTEMPTS;
    throw new DriveError('bad_response', { text: 'bad_response_incomplete_names', params, retryable });
  }, call);
}

async function listByName(
  drive: DriveContext,
  query: NameQuery,
  call: CallOptions,
): Promise<{ files: DriveFile[]; isComplete: boolean }> {
  const { service } = drive;
  const anyDrive = isOutside(drive, query.folderId);
  const names = new Set(query.names.map(toNFC));
  const isMatch = ({ name, trashed, mimeType }: DriveFile): boolean =>
    name !== undefined &&
    names.has(toNFC(name)) &&
    (trashed === true) === (query.trashed === true) &&
    !(query.kind === 'files' && isFolder(service, mimeType));
  const request = {
    q: allOf(nameQueryTerms(service, query)),
    fields: withFields(query.fields, ['id', 'name', 'mimeType', 'trashed']),
    anyDrive,
  };
  const matches: DriveFile[] = [];
  let isComplete = true;
  for await (const { files, incompleteSearch } of listPages(drive, request, call)) {
    if (incompleteSearch) isComplete = false;
    for (const file of files) if (isMatch(file)) matches.push(file);
  }
  if (anyDrive) for (const { id } of matches) markOutside(drive, id);
  // Their ids are used in requests.
  return { files: matches.map((file) => validateFile(file)), isComplete };
}
