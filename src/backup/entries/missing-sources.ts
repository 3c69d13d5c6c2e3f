/** What a backup lacks of its sources, in either format. Paths are for users. */
import { readablePath } from '../../fs/path-bytes';
import { localFileError } from '../../fs/local-file-error';
import { type SourceMount, pathOfMount } from '../../fs/mount-points';
import { type SourceSelection, findLostSource, isFailure } from '../../fs/walk-sources';
import { type DriveError, uncheckedError } from '../../errors';

interface SkippedSource {
  path: string;
  reason: string;
}

/** A source or disks in it that were lost, or entries that couldn't be read. */
export type Missing =
  { source: string } | { mounts: readonly string[] } | { entries: readonly SkippedSource[] };

/** How many entries that couldn't be read an error names. */
const NAMED = 3;
const TEXTS = {
  archive: {
    source: 'partial_failure_source_lost',
    mounts: 'partial_failure_mount_lost',
    entries: 'partial_failure_unread',
  },
  snapshot: {
    source: 'partial_failure_snapshot_source_lost',
    mounts: 'partial_failure_snapshot_mount_lost',
    entries: 'partial_failure_snapshot_unread',
  },
} as const;

/**
 * @param read devices of the sources when the run began, see {@link sourceDevices}, and what couldn't be read
 * @param findLostMounts returns the paths of disks that aren't mounted any more
 * @returns undefined if everything was read
 */
export async function findMissing(
  selection: SourceSelection,
  { devices, skipped }: { devices: readonly (number | undefined)[]; skipped: readonly SkippedSource[] },
  findLostMounts: () => Promise<readonly string[]>,
): Promise<Missing | undefined> {
  const source = await findLostSource(selection, devices);
  if (source !== undefined) return { source };
  const mounts = await findLostMounts();
  if (mounts.length > 0) return { mounts };
  const entries = skipped.filter(({ reason }) => isFailure(reason));
  return entries.length === 0 ? undefined : { entries };
}

export function readableMount(mount: SourceMount): string {
  return readablePath(pathOfMount(mount));
}

/** @param backup the name of the archive, or the ID of the snapshot, that lacks it */
export function incompleteError(missing: Missing, backup: { name: string } | { id: string }): DriveError {
  const texts = 'name' in backup ? TEXTS.archive : TEXTS.snapshot;
  if ('source' in missing)
    return uncheckedError('partial_failure', texts.source, { ...backup, path: missing.source });
  if ('mounts' in missing)
    return uncheckedError('partial_failure', texts.mounts, { ...backup, paths: missing.mounts.join(', ') });
  const { length: count } = missing.entries;
  const shown = missing.entries.slice(0, NAMED).map(({ path, reason }) => `${path} (${reason})`);
  const files = [...shown, ...(count > NAMED ? ['…'] : [])].join(', ');
  return uncheckedError('partial_failure', texts.entries, { ...backup, files, count });
}

/** The error of a backup that would be empty. */
export function nothingRead(sources: readonly string[], skipped: readonly SkippedSource[]): DriveError {
  const { reason = 'unknown' } = skipped[0] ?? {};
  return localFileError({ code: reason === 'vanished' ? 'ENOENT' : reason }, sources[0] ?? '', {
    ENOENT: 'local_file_no_backup_source',
  });
}
