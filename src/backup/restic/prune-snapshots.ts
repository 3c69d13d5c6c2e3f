/** Removes old snapshots of the same host and paths. Their packs stay until the repository is cleaned up. */
import { toThreadError } from '../../core/threads/thread-error';
import { DriveError, isDriveError } from '../../errors';
import { Calendar } from '../retention/calendar';
import { type RetentionRules, applyRetention } from '../retention/retention';
import type { DriveFile } from '../../types';
import type { Repository, StoredSnapshot } from './repository';
import { isComplete, isSameGroup, toInfo } from './snapshot-info';
import type { BackupJob, BackupOutcome } from './snapshot-job';
import type { SnapshotInfo } from './snapshot-request';
import { NS_PER_MS } from './time';

export const NOTHING_PRUNED: BackupOutcome['pruned'] = { kept: [], removed: [], failed: [], freedBytes: 0 };

interface Pruning extends Pick<BackupJob, 'retention' | 'timeZone'> {
  repository: Repository;
  /** That existed when the backup began: another one may rely on a later one. */
  earlier: readonly StoredSnapshot[];
  /** Is kept and counts as the newest, whatever its time. */
  created: StoredSnapshot;
}

/** Never throws: the snapshot exists. Those that can't be removed are in the result. */
export async function pruneSnapshots(
  pruning: Pruning,
): Promise<Pick<BackupOutcome, 'pruned' | 'laterError'>> {
  const { repository, earlier, created, retention } = pruning;
  const group = earlier.filter((snapshot) => isSameGroup(snapshot, created));
  const complete = [created, ...group.filter(isComplete)];
  const decision = retention ? await decide(pruning, retention, complete) : { kept: [], removed: [] };
  // A complete snapshot replaces the incomplete ones.
  const expired = [...decision.removed, ...group.filter((snapshot) => !isComplete(snapshot))];
  const removed: SnapshotInfo[] = [];
  const failed: BackupOutcome['pruned']['failed'] = [];
  const pruned = { kept: decision.kept.map(toInfo), removed, failed, freedBytes: 0 };
  for (const [index, each] of expired.entries()) {
    const snapshot = toInfo(each);
    try {
      await repository.store.remove('snapshots', each.id);
      removed.push(snapshot);
    } catch (error) {
      if (isDriveError(error, 'cancelled')) {
        const kept = [...pruned.kept, ...expired.slice(index).map(toInfo)];
        return { pruned: { ...pruned, kept }, laterError: toThreadError(error) };
      }
      // Nobody asked for it, and contributors of a shared drive may not remove files.
      if (!retention && isDriveError(error, 'permission_denied')) continue;
      failed.push({ snapshot, error: toThreadError(error) });
    }
  }
  if (failed.length === 0) return { pruned };
  const params = { id: toInfo(created).shortId, failed: failed.length, count: expired.length };
  const laterError = new DriveError('partial_failure', { text: 'partial_failure_snapshot_prune', params });
  return { pruned, laterError: toThreadError(laterError) };
}

/** @returns newest first */
async function decide(
  { repository, created, timeZone }: Pruning,
  rules: RetentionRules,
  snapshots: readonly StoredSnapshot[],
): Promise<{ kept: StoredSnapshot[]; removed: StoredSnapshot[] }> {
  const byId = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot]));
  const find = ({ id }: DriveFile): StoredSnapshot => byId.get(id) as StoredSnapshot;
  const { kept, removed } = applyRetention(
    snapshots.map(({ id }) => ({ id })),
    rules,
    {
      dateFrom: (file) => ({ time: Number(find(file).time / NS_PER_MS), isDay: false }),
      calendar: new Calendar(timeZone),
      // All clients of the repository have different clocks.
      now: await repository.store.time(),
      newestId: created.id,
    },
  );
  return { kept: kept.map(find), removed: removed.map(find) };
}
