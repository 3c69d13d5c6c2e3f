/** What both formats of a backup have in common: its sources, its folder on the drive, its progress and its status. */
import path from 'node:path';
import type { BackupProgress } from '../../src/index';
import { isPath } from '../shared/runtime/id-or-path';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { shortList } from '../shared/runtime/value-summary';
import type { BackupConfig } from './backup.defaults';

/** One path, or an array of paths. */
export async function readSources({ inputs }: RunContext<BackupConfig>): Promise<string[]> {
  const value = await inputs.value('source');
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw inputs.invalid('invalid_input_no_source', 'source', value);
  // A trailing separator would leave the archive's entries without the name of the folder. `map` would skip empty
  // slots, and a copy without checks could take all memory: an array may have billions of them.
  return Array.from(values, (each) => path.resolve(inputs.localPath('source', each)));
}

/**
 * @returns also whether the folder on the drive is new although it is the same for every run. If it had backups, it was
 *   deleted, which nobody would notice
 */
export async function resolveTarget(
  { inputs, client, call, warn }: RunContext<BackupConfig>,
  folder: string,
): Promise<{ folderId: string; isNew: boolean }> {
  if (!isPath(folder)) return { folderId: folder, isNew: false };
  let isNew = false;
  // A message may bring a new folder each time, such as one per month.
  const onCreated = (): void => void (isNew = inputs.isString('folder'));
  const request = { ...inputs.folderPath(folder, inputs.flag('createFolders')), onCreated };
  const folderId = await client.paths.resolveFolder(request, call);
  if (isNew) warn('backup_new_folder', { path: folder });
  return { folderId, isNew };
}

/** Adds to the status what the backup has left out, and what the user may not expect. */
export function withMarks(
  { results }: RunContext<BackupConfig>,
  text: string,
  { skipped, otherSeries = 0, isNew }: { skipped: number; otherSeries?: number; isNew: boolean },
): Outcome {
  const marks = [
    ...(skipped > 0 ? [results.count(skipped, 'skipped')] : []),
    ...(otherSeries > 0 ? [results.count(otherSeries, 'other_series')] : []),
    ...(isNew ? [results.mark('new_folder')] : []),
  ];
  return { text: [text, ...marks].join(' · '), isPartial: marks.length > 0 };
}

/** Whether the backup is complete although disks of an earlier one aren't mounted any more. */
export function acceptsChange({ msg }: RunContext<BackupConfig>): boolean {
  return msg['acceptChange'] === true;
}

/** Shows the progress in the status and on the second output. */
export function trackBackup({ trackProgress, results }: RunContext<BackupConfig>): {
  onProgress: (progress: BackupProgress) => void;
  finish: (result: unknown) => void;
  /** Bytes handed to the socket. */
  sent: () => number;
} {
  let progress: BackupProgress = { entries: 0, bytes: 0, sent: 0 };
  const { onProgress, finish } = trackProgress(
    {},
    {
      describe: () => results.archive(progress.entries, progress.bytes),
      details: () => ({ transferred: progress.sent, entries: progress.entries, bytes: progress.bytes }),
    },
  );
  const report = (latest: BackupProgress): void => {
    progress = latest;
    // Until the key of a repository is known, nothing is read.
    if (latest.entries === 0) return;
    // Content that compresses well, or hasn't changed, is hardly sent at all, however fast it is read.
    onProgress(latest.bytes, undefined);
  };
  return { onProgress: report, finish, sent: () => progress.sent };
}

/** Logs which entries are missing, and why. */
export function warnOfSkipped(
  { warn, results }: RunContext<BackupConfig>,
  skipped: readonly { path: string; reason: string }[],
): void {
  if (skipped.length === 0) return;
  const files = shortList(
    skipped.map(({ path: entry, reason }) => `${entry} (${results.skipReason(reason)})`),
  );
  warn('backup_skipped', { count: skipped.length, files });
}
