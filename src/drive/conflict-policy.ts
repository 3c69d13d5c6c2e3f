/** Decides what happens if the folder already has a file of that name. */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile, NameInFolder, Service } from '../types';
import { type DriveContext, rootId } from './drive-context';
import { ambiguousName, formatIds, findByName } from './find-by-name';
import { countNamesInOneQuery, toNFC } from './query';
import { numberedName, withoutNumber } from '../core/names';

export type ConflictPolicy = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

/** `folderId` is `''` for the root. */
interface ConflictCheck extends NameInFolder {
  ifExists: ConflictPolicy;
  fields: string;
  /** What conflicts with the name; `files` by default. */
  kind?: 'files' | 'folders';
  /** The id of a file that doesn't conflict: the one that is moved. */
  except?: string;
}

/** Create a file, replace the content of one, or do nothing. */
export type ConflictResolution =
  | { action: 'create'; name: string }
  | { action: 'replace'; file: DriveFile }
  | { action: 'skip'; file: DriveFile };

/** The key under which calls are serialized: the same for all names that `rename` could choose. */
export function nameLockKey(service: Service, { folderId, name }: NameInFolder): NameInFolder {
  return { folderId: folderId || rootId(service), name: toNFC(withoutNumber(name)) };
}

/** @throws `conflict` if the file exists (`error`), or several do (`replace`, `skip`) */
export async function resolveConflict(
  drive: DriveContext,
  check: ConflictCheck,
  call: CallOptions,
): Promise<ConflictResolution> {
  const { name, ifExists } = check;
  if (ifExists === 'duplicate') return { action: 'create', name };
  if (ifExists === 'rename') return { action: 'create', name: await firstFreeName(drive, check, call) };
  const found = await findConflicts(drive, { ...check, names: [name] }, call);
  const [file] = found;
  if (!file) return { action: 'create', name };
  if (ifExists === 'error') {
    throw new DriveError('conflict', { text: 'conflict_exists', params: { name, ids: formatIds(found) } });
  }
  if (found.length > 1) throw ambiguousName(name, found);
  return { action: ifExists, file };
}

/** The first query has one name only, since that is usually free. */
const BATCH_SIZE = 20;

async function firstFreeName(drive: DriveContext, check: ConflictCheck, call: CallOptions): Promise<string> {
  for (let first = 0, length = 1; ; first += length, length = BATCH_SIZE) {
    const batch = Array.from({ length }, (_, index) => numberedName(check.name, first + index));
    length = countNamesInOneQuery(drive.service, batch);
    const names = batch.slice(0, length);
    const found = await findConflicts(drive, { ...check, names, fields: 'id,name' }, call);
    const taken = new Set(found.map((file) => toNFC(file.name ?? '')));
    const free = names.find((name) => !taken.has(toNFC(name)));
    if (free !== undefined) return free;
  }
}

async function findConflicts(
  drive: DriveContext,
  { names, folderId, kind = 'files', fields, except }: ConflictCheck & { names: readonly string[] },
  call: CallOptions,
): Promise<DriveFile[]> {
  const found = await findByName(drive, { names, folderId, kind, fields }, call);
  return found.filter(({ id }) => id !== except);
}
