/** Snapshots as messages contain them. */
import type { StoredSnapshot } from './repository';
import type { SnapshotInfo } from './snapshot-request';
import { NS_PER_MS, formatTime } from './time';
import { DAY } from '../../core/clock';

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
