/**
 * Shortcuts stand for their target wherever content or children are read. Only Google Drive has them. Whether an id is
 * a shortcut's is requested only after the id was of no use, since that is rare.
 * https://developers.google.com/workspace/drive/api/guides/shortcuts
 */
import { DriveError, ifFound, isDriveError } from '../errors';
import { isObject } from '../core/validator';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, rootId, markOutside } from './drive-context';
import { withFields } from './fields';
import { isFolder } from './mime-types';
import { getMetadata } from './metadata';

export const SHORTCUT_TYPE = 'application/vnd.google-apps.shortcut';

/** The fields that recognize a shortcut. */
export function shortcutFields({ can }: Service): string[] {
  return can.shortcuts ? ['mimeType', 'shortcutDetails'] : [];
}

/** What a shortcut leads to. The MIME type is the one that the target had when the shortcut was created. */
interface ShortcutTarget {
  id: string;
  mimeType: string | undefined;
}

/** @returns undefined if the file is no shortcut */
export function targetOf({ mimeType, shortcutDetails }: DriveFile): ShortcutTarget | undefined {
  if (mimeType !== SHORTCUT_TYPE || !isObject(shortcutDetails)) return undefined;
  const { targetId, targetMimeType } = shortcutDetails;
  if (typeof targetId !== 'string' || targetId === '') return undefined;
  return { id: targetId, mimeType: typeof targetMimeType === 'string' ? targetMimeType : undefined };
}

/**
 * @returns the metadata of the target; of a file that is no shortcut, the file itself
 * @throws `not_found` for a shortcut whose target doesn't exist, or that leads back to itself
 */
export async function followShortcut(
  drive: DriveContext,
  file: DriveFile,
  fields: string,
  call: CallOptions,
): Promise<DriveFile> {
  const required = withFields(fields, shortcutFields(drive.service));
  const followed = new Set<string>();
  let current = file;
  for (let target = targetOf(current); target; target = targetOf(current)) {
    if (followed.has(target.id)) throw danglingShortcut(file);
    followed.add(target.id);
    current = await getMetadata(drive, target.id, required, call).catch((error: unknown) => {
      throw isDriveError(error, 'not_found') ? danglingShortcut(file) : error;
    });
    markOutside(drive, current.id);
  }
  return current;
}

function danglingShortcut({ name, id }: DriveFile): DriveError {
  return new DriveError('not_found', { text: 'not_found_shortcut', params: { name: name ?? id } });
}

/**
 * Requested once for each id.
 * @returns the id of the target; undefined if the id isn't a shortcut's
 * @throws `not_found` as {@link followShortcut}; `invalid_input` for a file, or a shortcut to one
 */
export async function findTargetId(
  drive: DriveContext,
  id: string,
  call: CallOptions,
): Promise<string | undefined> {
  const { service, shortcutTargets: known } = drive;
  if (!service.can.shortcuts || id === '' || id === 'root' || id === rootId(service)) return undefined;
  const target = known.get(id);
  if (target !== undefined) return target || undefined;
  const file = await ifFound(getMetadata(drive, id, 'id,name,mimeType,shortcutDetails', call));
  if (!file) return undefined;
  const { id: targetId, mimeType } = await followShortcut(drive, file, 'id,mimeType', call);
  if (mimeType !== undefined && !isFolder(service, mimeType)) {
    const params = { name: file.name ?? id };
    throw new DriveError('invalid_input', { text: 'invalid_input_sync_not_folder', params });
  }
  known.set(id, targetId === id ? '' : targetId);
  return targetId === id ? undefined : targetId;
}

/**
 * Runs work that puts a file into a folder. If the service refuses the folder because it is a shortcut, the work is
 * repeated in its target; later work starts there.
 */
export async function inTargetFolder<R extends { folderId?: string | undefined }, T>(
  drive: DriveContext,
  request: R,
  work: (request: R) => Promise<T>,
  call: CallOptions,
): Promise<T> {
  const { folderId = '' } = request;
  const known = drive.shortcutTargets.get(folderId);
  if (known) return work({ ...request, folderId: known });
  try {
    return await work(request);
  } catch (error) {
    if (!isDriveError(error) || error.reason !== 'parentNotAFolder') throw error;
    const target = await findTargetId(drive, folderId, call);
    if (target === undefined) throw error;
    return work({ ...request, folderId: target });
  }
}
