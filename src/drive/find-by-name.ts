/** Finds the files of a folder that have one of some names. */
import type { CallOptions, DriveFile } from '../types';
import type { DriveContext } from './drive-context';
import { isFolder } from './item-kind';
import { withFields } from './fields';
import { listPages } from './list';
import { listComplete } from './list-complete';
import { isOutside, markOutside } from './outside-drive';
import { allOf } from './query';
import { type NameQuery, nameQueryTerms, toNFC } from './name-query';

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
