/** Resolves folder paths in a snapshot. */
import type { Operation, FolderPath } from './operations';
import { type Snapshot, liveChildren } from './snapshot';

/** Ids of the existing folders of a path, from the top. */
export function folderIdsOn({ baseId, names }: FolderPath, snapshot: Snapshot): string[] {
  const ids: string[] = [];
  for (const name of names) {
    const found = liveChildren(snapshot, ids.at(-1) ?? baseId).find(
      ([, each]) => each.isFolder && each.name === name,
    );
    if (!found) break;
    ids.push(found[0]);
  }
  return ids;
}

/** The operation with the id of its folder in place of the path; an unknown id if the folder doesn't exist. */
export function withFolderId(operation: Operation, snapshot: Snapshot): Operation {
  if (!('folderPath' in operation) || operation.folderPath === undefined) return operation;
  const { folderPath } = operation;
  const ids = folderIdsOn(folderPath, snapshot);
  const folder = ids.length === folderPath.names.length ? (ids.at(-1) ?? folderPath.baseId) : 'missing';
  return { ...operation, folder };
}
