/**
 * Removes the old archives of a template and source after a backup. Several backups may run at once, also on several
 * machines: each removes only archives that already existed when it began. The newest archive of all is then never
 * removed, because whichever backup would remove it has created a newer one.
 */
import { type DriveError, isDriveError } from '../errors';
import { getMetadataIfSupported } from '../drive/metadata';
import { driveFolderKey, foldersOnDrive } from '../core/folder-lock';
import type { Calendar } from './retention/calendar';
import { type RemovalResult, hasChanged, removeExpired } from './retention/remove-expired';
import {
  type FileDate,
  type RetentionResult,
  type RetentionRules,
  applyRetention,
} from './retention/retention';
import { parseTimestamp, storedAt } from './retention/timestamp';
import { checkClock } from './retention/wrong-clock';
import type { CallOptions, DriveFile } from '../types';
import type { ArchiveNames } from './archive-name';
import { type OwnArchives, isOfOtherSeries, listOwnArchives } from './own-archives';

/** The archives that existed when a backup began, or why they couldn't be listed. */
export type EarlierArchives = readonly DriveFile[] | DriveError;

export interface ArchiveRemoval extends OwnArchives {
  /** Is kept and counts as the newest, whatever its date. */
  created: DriveFile;
  earlier: EarlierArchives;
  /** Undefined if only incomplete archives are removed. */
  rules: RetentionRules | undefined;
  calendar: Calendar;
  /** @throws `not_found` */
  remove: (id: string) => Promise<void>;
}

/** @throws `cancelled` only: a backup is worth more than the removal of old archives */
export async function findEarlierArchives(own: OwnArchives, call: CallOptions): Promise<EarlierArchives> {
  try {
    return await listOwnArchives(own, call);
  } catch (error) {
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return error;
  }
}

/**
 * Waits for other removals in the folder, also those of other clients.
 * @throws `partial_failure` if this machine's clock is wrong, other errors if the archives can't be listed. What can't
 *   be removed is in the result
 */
export function removeOldArchives(removal: ArchiveRemoval, call: CallOptions): Promise<RemovalResult> {
  const { drive, folderId } = removal;
  const key = driveFolderKey(drive.service.baseUrl, folderId);
  return foldersOnDrive.run(key, async () => withoutNotes(await listAndRemove(removal, call)), call);
}

function withoutNotes({ kept, removed, failed, ...more }: RemovalResult): RemovalResult {
  const without = <File extends DriveFile>({ appProperties: _, ...file }: File): File => file as File;
  return {
    ...more,
    ...{ kept: kept.map(without), removed: removed.map(without) },
    failed: failed.map(({ file, error }) => ({ file: without(file), error })),
  };
}

async function listAndRemove(removal: ArchiveRemoval, call: CallOptions): Promise<RemovalResult> {
  const { drive, names, created, earlier, rules, remove } = removal;
  if (isDriveError(earlier)) throw earlier;
  const all = await archivesWith(removal, call);
  const archives = all.filter((file) => !isOfOtherSeries(removal, file));
  const earlierIds = new Set(earlier.map(({ id }) => id));
  const isLater = ({ id }: DriveFile): boolean => id !== created.id && !earlierIds.has(id);
  // Only a complete archive replaces others, whatever the service calls it.
  const isComplete = (file: DriveFile): boolean => file.id === created.id || isCompleteArchive(names, file);
  const complete = archives.filter(isComplete);
  // A later archive may only be incomplete until its backup has renamed it.
  const incomplete = archives.filter((file) => !isComplete(file) && !isLater(file));
  // Another backup may still find that its archive is damaged, and remove it: it can't replace one of these.
  const candidates = complete.filter((file) => !isLater(file));
  const options = {
    // Also if the dates are in the names: an archive whose content was replaced meanwhile isn't an old one any more.
    dateFrom: 'modifiedTime',
    getMetadata: (id: string, fields: string) => getMetadataIfSupported(drive, id, fields, call),
    remove,
  } as const;
  const decision = rules ? decide(removal, candidates, rules) : NOTHING;
  const result = await removeExpired(decision, { ...options, minimum: rules?.minimum ?? 0 });
  const kept = rules ? [...result.kept, ...complete.filter(isLater)] : [];
  if (result.cancelled) return { ...result, kept };
  const more = await removeExpired({ ...NOTHING, removed: incomplete }, { ...options, minimum: 0 });
  return {
    kept: [...kept, ...more.kept],
    removed: [...result.removed, ...more.removed],
    failed: [...result.failed, ...more.failed],
    ...(more.cancelled && { cancelled: more.cancelled }),
  };
}

const NOTHING: RetentionResult = { kept: [], counted: 0, removed: [] };

function decide(
  removal: ArchiveRemoval,
  archives: readonly DriveFile[],
  rules: RetentionRules,
): RetentionResult {
  const { names, created, calendar } = removal;
  return applyRetention(archives, rules, {
    dateFrom: (file) => archiveDate(names, file),
    calendar,
    now: checkedTime(removal),
    newestId: created.id,
  });
}

export function isCompleteArchive(names: ArchiveNames, { name = '' }: DriveFile): boolean {
  return names.parse(name)?.isComplete ?? false;
}

/** @returns ms since 1970. @throws `partial_failure` */
function checkedTime({ drive, created }: ArchiveRemoval): number {
  const { now, error } = checkClock({
    local: drive.clock.now(),
    service: drive.engine.serviceTime() ?? parseTimestamp(created.createdTime),
    serviceUrl: drive.service.baseUrl,
    text: 'partial_failure_clock',
    params: { name: created.name ?? created.id },
  });
  if (error) throw error;
  return now;
}

/**
 * Without the new archive in a list that is behind, one archive too many would be kept. A list may also still have the
 * name that the archive had while it was incomplete.
 */
async function archivesWith(removal: ArchiveRemoval, call: CallOptions): Promise<DriveFile[]> {
  const { created } = removal;
  const archives = await listOwnArchives(removal, call);
  const others = archives.filter(({ id }) => id !== created.id);
  if (others.length === archives.length && !(await isInFolder(removal, call))) return archives;
  return [created, ...others];
}

/** @returns false for an archive that someone has removed, moved or renamed meanwhile: it can't replace earlier ones */
async function isInFolder({ drive, created }: ArchiveRemoval, call: CallOptions): Promise<boolean> {
  try {
    const file = await getMetadataIfSupported(drive, created.id, 'id,name,parents,trashed', call);
    return !file || (file.trashed !== true && !hasChanged(created, file, ['name', 'parents']));
  } catch (error) {
    if (isDriveError(error, 'not_found')) return false;
    throw error;
  }
}

/**
 * Dates in names are those of this machine's clock, which may have been wrong, such as in 1970 until it was set. The
 * order doesn't depend on it, and no archive is older than its file on the drive.
 */
export function archiveDate(names: ArchiveNames, file: DriveFile): FileDate | undefined {
  const named = names.parse(file.name ?? '');
  const time = named?.time ?? parseTimestamp(file.modifiedTime);
  if (time === undefined) return undefined;
  return {
    time,
    isDay: named?.isDay ?? false,
    order: named?.number ?? storedAt(file) ?? time,
    notBefore: parseTimestamp(file.createdTime),
  };
}
