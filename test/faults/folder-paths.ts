/** Where a way leads, in what is there. */
import type { Operation, FolderPath } from './operations';
import { type Snapshot, liveChildren } from './snapshot';

/** Ids of the folders on it, as far as they are there. */
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

/** The operation with the id of the folder in place of its path; where there is no such folder, of none. */
export function withFolderId(operation: Operation, snapshot: Snapshot): Operation {
  if (!('folderPath' in operation) || operation.folderPath === undefined) return operation;
  const { folderPath } = operation;
  const ids = folderIdsOn(folderPath, snapshot);
  const folder = ids.length === folderPath.names.length ? (ids.at(-1) ?? folderPath.baseId) : 'not there';
  return { ...operation, folder };
}
