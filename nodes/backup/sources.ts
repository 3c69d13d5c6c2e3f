/** What both formats of a backup have in common: its sources, its progress, and what couldn't be read. */
import path from 'node:path';
import type { BackupProgress } from '../../src/index';
import type { RunContext } from '../shared/runtime/run-context';
import { shortList } from '../shared/runtime/short-list';
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
