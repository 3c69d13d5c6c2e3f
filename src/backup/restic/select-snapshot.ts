/** Selects a snapshot of a repository. */
import { DAY } from '../../core/clock';
import { DriveError, LocalTime } from '../../errors';
import type { StoredSnapshot } from './repository';
import type { SnapshotChoice, SnapshotInfo } from './snapshot-request';
import { NS_PER_MS, formatTime } from './json-file';

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

/** The tag of a snapshot that lacks a source, or something in it. */
export const INCOMPLETE_TAG = 'incomplete';

const SHORT_ID = 8;

export function toInfo({ id, time, tree, parent, paths, hostname, tags }: StoredSnapshot): SnapshotInfo {
  const shortId = id.slice(0, SHORT_ID);
  return {
    id,
    shortId,
    time: formatTime(time),
    tree,
    parent: parent ?? null,
    paths: [...paths],
    hostname,
    tags: [...tags],
  };
}

/**
 * As retention, leaves out those dated more than a day ahead, by a wrong clock, if there are others.
 * @param snapshots oldest first. @param now ms since 1970
 */
export function newestOf<T extends Pick<StoredSnapshot, 'time'>>(
  snapshots: readonly T[],
  now: number,
): T | undefined {
  const limit = BigInt(now + DAY) * NS_PER_MS;
  return snapshots.filter(({ time }) => time <= limit).at(-1) ?? snapshots.at(-1);
}

/** Whether it has all that its sources contained. */
export function isComplete({ tags }: Pick<SnapshotInfo, 'tags'>): boolean {
  return !tags.includes(INCOMPLETE_TAG);
}

/** Whether two snapshots are of the same host and paths, in any order. */
export function isSameGroup(
  a: Pick<StoredSnapshot, 'hostname' | 'paths'>,
  b: Pick<StoredSnapshot, 'hostname' | 'paths'>,
): boolean {
  const key = (paths: readonly string[]): string => JSON.stringify([...paths].sort());
  return a.hostname === b.hostname && key(a.paths) === key(b.paths);
}
