/** Selects a snapshot of a repository. */
import { DriveError, LocalTime } from '../../errors';
import type { StoredSnapshot } from './repository';
import { isComplete, isSameGroup, newestOf } from './snapshot-info';
import type { SnapshotChoice } from './snapshot-request';
import { NS_PER_MS } from './time';

/**
 * @param snapshots oldest first
 * @param options the folder as the user gave it, for error messages; ms since 1970
 * @throws `not_found`; `conflict` for the beginning of several IDs
 */
export function selectSnapshot(
  snapshots: readonly StoredSnapshot[],
  choice: SnapshotChoice,
  { folder, now }: { folder: string; now: number },
): StoredSnapshot {
  if (choice.which === 'id') return selectById(snapshots, choice.id ?? '', folder);
  const { host, paths, until, allowIncomplete, sources } = choice;
  const isSource = (snapshot: StoredSnapshot): boolean =>
    (sources === 'any' || snapshot.hostname === host) &&
    (!paths || isSameGroup({ hostname: '', paths: snapshot.paths }, { hostname: '', paths: [...paths] }));
  const candidates = snapshots.filter(
    (snapshot) => isSource(snapshot) && (allowIncomplete || isComplete(snapshot)),
  );
  const isInTime = ({ time }: StoredSnapshot): boolean => time <= BigInt(until ?? 0) * NS_PER_MS;
  const selected = choice.which === 'date' ? candidates.filter(isInTime).at(-1) : newestOf(candidates, now);
  if (selected) return selected;
  if (candidates.length > 0) {
    const params = { folder, time: new LocalTime(until ?? 0) };
    throw new DriveError('not_found', { text: 'not_found_snapshot_date', params });
  }
  if (sources === 'any')
    throw new DriveError('not_found', { text: 'not_found_snapshot', params: { folder } });
  throw new DriveError('not_found', { text: 'not_found_snapshot_host', params: { folder, host } });
}

function selectById(snapshots: readonly StoredSnapshot[], wanted: string, folder: string): StoredSnapshot {
  const id = wanted.trim().toLowerCase();
  const [found, ...others] = id === '' ? [] : snapshots.filter((snapshot) => snapshot.id.startsWith(id));
  if (!found) throw new DriveError('not_found', { text: 'not_found_snapshot_id', params: { folder, id } });
  if (others.length === 0) return found;
  throw new DriveError('conflict', {
    text: 'conflict_snapshot_id',
    params: { id, count: others.length + 1 },
  });
}
