/** Finds the files or folders of a folder that have one of some names: the service allows several. */
import type { CallOptions, DriveFile, NameInFolder } from '../types';
import { type DriveContext, isOutside, markOutside } from './drive-context';
import { isFolder } from './mime-types';
import { withFields } from './fields';
import { listPages, listComplete } from './list';
import { allOf, type NameQuery, nameQueryTerms, toNFC } from './query';
import { DriveError } from '../errors';

/**
 * @returns the files, not trashed unless `trashed` is set, with at least the requested fields, `id` and `name`
 * @throws `bad_response` if the list may be incomplete: a file that is missing in it would be created again
 */
export async function findByName(
  drive: DriveContext,
  query: NameQuery,
  call: CallOptions,
): Promise<DriveFile[]> {
  const { service } = drive;
  const anyDrive = isOutside(drive, query.folderId);
  const names = new Set(query.names.map(toNFC));
  const isMatch = ({ name = '', trashed, mimeType }: DriveFile): boolean =>
    names.has(toNFC(name)) &&
    (trashed === true) === (query.trashed === true) &&
    !(query.kind === 'files' && isFolder(service, mimeType));
  const request = {
    q: allOf(nameQueryTerms(service, query)),
    fields: withFields(query.fields, ['id', 'name', 'mimeType', 'trashed']),
    anyDrive,
  };
  const pages = (budgeted: CallOptions) => listPages(drive, request, budgeted);
  const error = { text: 'bad_response_incomplete_names' as const, params: { name: query.names[0] ?? '' } };
  const matches = await listComplete(drive, { pages, isMatch, ...error }, call);
  if (anyDrive) for (const { id } of matches) markOutside(drive, id);
  return matches;
}

interface FolderQuery extends NameInFolder {
  fields: string;
  /** Also finds shortcuts of that name. */
  withShortcuts?: boolean;
  /** Also finds files of that name, with `mimeType`. */
  withFiles?: boolean;
}

/**
 * @returns all folders of that name, with their creation times if there are several. A custom service may not support
 * that field, so it is requested only then.
 */
export async function findFolders(
  drive: DriveContext,
  { name, folderId, fields, withShortcuts, withFiles = false }: FolderQuery,
  call: CallOptions,
): Promise<DriveFile[]> {
  const kind = withFiles ? 'any' : 'folders';
  const query = { names: [name], folderId, kind, fields, withShortcuts } as const;
  if (!drive.service.can.creationTimes) {
    const found = await findByName(drive, query, call);
    if (found.length <= 1) return found;
  }
  return findByName(drive, { ...query, fields: withFields(fields, ['createdTime']) }, call);
}

const MAX_IDS = 10;

export function ambiguousName(name: string, found: readonly DriveFile[], retryable = false): DriveError {
  const params = { name, ids: formatIds(found) };
  return new DriveError('conflict', { text: 'conflict_names', params, retryable });
}

/** @returns the ids; of many the first ten and the number of the others: `a, b, +5` */
export function formatIds(files: readonly DriveFile[]): string {
  const ids = files.slice(0, MAX_IDS).map(({ id }) => id);
  if (files.length > MAX_IDS) ids.push(`+${files.length - MAX_IDS}`);
  return ids.join(', ');
}
