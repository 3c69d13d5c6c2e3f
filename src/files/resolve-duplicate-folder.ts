/**
 * One folder of a name, also where several clients that know nothing of each other make it at the same moment: the
 * service keeps nobody from that. Whoever has made one looks again; the first stays, and the others take theirs back.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { inParents } from '../api/query';
import type { CallOptions, DriveFile } from '../types';
import { untrashOwn, trash } from '../api/delete';
import type { DriveContext } from '../api/drive-context';
import { withFields } from '../api/fields';
import { ambiguous, findByName } from './find-by-name';
import { pages } from '../api/list';

/** ms: folders of one name that came to be so close to each other were made by several clients at once. */
const AT_ONCE = 10_000;

/** Fields that tell which was the first. */
export const AGE_FIELDS = ['createdTime'] as const;

/** Whether one of them is about to be taken back. */
export function mayBecomeOne(found: readonly DriveFile[]): boolean {
  const times = found.map(madeAt);
  return Math.max(...times) - Math.min(...times) < AT_ONCE;
}

export interface MadeFolder {
  made: DriveFile;
  name: string;
  parentId: string;
  fields: string;
}

/**
 * @returns the folder that stays: the one that was made, or an earlier one
 * @throws `conflict` where somebody has put something into ours by then
 */
export async function keepOldest(
  drive: DriveContext,
  { made, name, parentId, fields }: MadeFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const wanted = withFields(fields, AGE_FIELDS);
  const found = await findByName(
    drive,
    { names: [name], folderId: parentId, kind: 'folders', fields: wanted },
    call,
  );
  const [first = made] = [...found].sort((a, b) => madeAt(a) - madeAt(b) || (a.id < b.id ? -1 : 1));
  const isOurs = first.id === made.id || !found.some(({ id }) => id === made.id);
  if (isOurs || found.some((each) => Number.isNaN(madeAt(each)))) return made;
  if (!(await isEmpty(drive, made.id, call))) throw ambiguous(name, found);
  await trash(drive, made.id, call);
  if (await isEmpty(drive, made.id, call)) return first;
  // Somebody has put something into it in the last moment: it must not go with the folder.
  await untrashOwn(drive, made.id, call);
  throw ambiguous(name, found);
}

/** Surely, that is: a page without a file may not be the last, and a list may lack some. */
async function isEmpty(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  for await (const page of pages(drive, { q: inParents(id), fields: 'id', pageSize: 1 }, call)) {
    if (page.files.length > 0 || page.incompleteSearch) return false;
  }
  return true;
}

/** NaN, which makes nothing young, where the service doesn't say. */
function madeAt({ createdTime = '' }: DriveFile): number {
  return Date.parse(createdTime);
}
