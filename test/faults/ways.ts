/** Where a way leads, in what is there. */
import type { Operation, Way } from './operations';
import { type Snapshot, liveIn } from './snapshot';

/** Ids of the folders on it, as far as they are there. */
export function foldersOn({ from, names }: Way, there: Snapshot): string[] {
  const ids: string[] = [];
  for (const name of names) {
    const found = liveIn(there, ids.at(-1) ?? from).find(([, each]) => each.isFolder && each.name === name);
    if (!found) break;
    ids.push(found[0]);
  }
  return ids;
}

/** The operation with the id of the folder in place of its path; where there is no such folder, of none. */
export function located(operation: Operation, there: Snapshot): Operation {
  if (!('way' in operation) || operation.way === undefined) return operation;
  const { way } = operation;
  const ids = foldersOn(way, there);
  const folder = ids.length === way.names.length ? (ids.at(-1) ?? way.from) : 'not there';
  return { ...operation, folder };
}
