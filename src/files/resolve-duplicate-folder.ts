/**
 * One folder of a name, also where several clients that know nothing of each other make it at the same moment: the
 * service keeps nobody from that. Whoever has made one looks again; the first stays, and the others take theirs back.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { inParents } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import { untrash, trash } from '../api/delete';
import type { DriveContext } from '../api/drive-context';
import { withFields } from '../api/fields';
import { ambiguousName, findByName } from './find-by-name';
import { listPages } from '../api/list';

/** ms: folders of one name that came to be so close to each other were made by several clients at once. */
const AT_ONCE = 10_000;

/** Fields that tell which was the first. */
export const CREATED_TIME = ['createdTime'] as const;

/** Whether one of them is about to be taken back. */
export function areConcurrent(found: readonly DriveFile[]): boolean {
  const times = found.map(madeAt);
  return Math.max(...times) - Math.min(...times) < AT_ONCE;
}

export interface CreatedFolder {
  created: DriveFile;
  name: string;
  folderId: string;
  fields: string;
}

/**
 * @returns the folder that stays: the one that was made, or an earlier one
 * @throws `conflict` where somebody has put something into ours by then
 */
export async function keepOldest(
  drive: DriveContext,
  { created, name, folderId, fields }: CreatedFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const wanted = withFields(fields, CREATED_TIME);
  const found = await findByName(drive, { names: [name], folderId, kind: 'folders', fields: wanted }, call);
  const [first = created] = [...found].sort((a, b) => madeAt(a) - madeAt(b) || (a.id < b.id ? -1 : 1));
  const isOurs = first.id === created.id || !found.some(({ id }) => id === created.id);
  if (isOurs || found.some((each) => Number.isNaN(madeAt(each)))) return created;
  if (!(await isEmpty(drive, created.id, call))) throw ambiguousName(name, found);
  await trash(drive, created.id, call);
  if (await isEmpty(drive, created.id, call)) return first;
  // Somebody has put something into it in the last moment: it must not go with the folder.
  await untrash(drive, created.id, call);
  throw ambiguousName(name, found);
}

/** Surely, that is: a page without a file may not be the last, and a list may lack some. */
async function isEmpty(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  for await (const page of listPages(drive, { q: inParents(id), fields: 'id', pageSize: 1 }, call)) {
    if (page.files.length > 0 || page.incompleteSearch) return false;
  }
  return true;
}

/** NaN, which makes nothing young, where the service doesn't say. */
function madeAt({ createdTime = '' }: DriveFile): number {
  return Date.parse(createdTime);
}
