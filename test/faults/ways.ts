/** Folders that are given by their path, and made where they aren't there. */
import type { Operation } from './operations';
import { type Snapshot, liveIn } from './snapshot';

export interface Way {
  /** Id of the folder that it begins in. */
  from: string;
  /** Names of the folders, one in the other. */
  names: readonly string[];
  /** The same from the root on. */
  path: string;
}

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
