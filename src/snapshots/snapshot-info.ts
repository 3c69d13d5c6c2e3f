/** Snapshots as messages contain them. */
import type { StoredSnapshot } from './repository';
import type { SnapshotInfo } from './snapshot-request';
import { formatTime } from './time';

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
