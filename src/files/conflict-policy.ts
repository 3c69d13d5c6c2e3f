/** What becomes of a file where the folder has one of that name already. */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, rootId } from '../api/drive-context';
import { ambiguousName, countNamesInOneQuery, toNFC, findByName, formatIds } from './find-by-name';
import { numberedName, withoutNumber } from './numbered-name';
import type { NameInFolder } from './name-lock';

export type ConflictPolicy = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

export interface ConflictCheck {
  name: string;
  /** `''`: the root. */
  folderId: string;
  ifExists: ConflictPolicy;
  fields: string;
  /** Of which kind the others are that are in its way; files where it is not given. */
  kind?: 'files' | 'folders';
  /** A file that is never in its own way. */
  except?: string;
}

/** A new file of that name, new content for one, or nothing. */
export type ConflictResolution =
  | { action: 'create'; name: string }
  | { action: 'replace'; file: DriveFile }
  | { action: 'skip'; file: DriveFile };

/** What runs one after the other: the name of one may be taken by another, also with a number behind it. */
export function nameLockKey(service: Service, { folderId, name }: NameInFolder): NameInFolder {
  return { folderId: folderId || rootId(service), name: toNFC(withoutNumber(name)) };
}

/** @throws `conflict` where the file exists (`error`), or several do (`replace`, `skip`) */
export async function resolveConflict(
  drive: DriveContext,
  wanted: ConflictCheck,
  call: CallOptions,
): Promise<ConflictResolution> {
  const { name, ifExists } = wanted;
  if (ifExists === 'duplicate') return { action: 'create', name };
  if (ifExists === 'rename') return { action: 'create', name: await firstFree(drive, wanted, call) };
  const found = await others(drive, wanted, [name], call);
  const [file] = found;
  if (!file) return { action: 'create', name };
  if (ifExists === 'error') {
    throw new DriveError('conflict', { text: 'conflict_exists', params: { name, ids: formatIds(found) } });
  }
  if (found.length > 1) throw ambiguousName(name, found);
  return { action: ifExists, file };
}

/** Names that are asked for at once: mostly the first is free, so it is asked for alone. */
const BATCH = 20;

async function firstFree(drive: DriveContext, wanted: ConflictCheck, call: CallOptions): Promise<string> {
  const { name } = wanted;
  for (let first = 0, length = 1; ; first += length, length = BATCH) {
    const batch = Array.from({ length }, (_, index) => numberedName(name, first + index));
    length = countNamesInOneQuery(drive.service, batch);
    const names = batch.slice(0, length);
    const found = await others(drive, { ...wanted, fields: 'id,name' }, names, call);
    const taken = new Set(found.map((file) => toNFC(file.name ?? '')));
    const free = names.find((each) => !taken.has(toNFC(each)));
    if (free !== undefined) return free;
  }
}

async function others(
  drive: DriveContext,
  { folderId, kind = 'files', fields, except }: ConflictCheck,
  names: readonly string[],
  call: CallOptions,
): Promise<DriveFile[]> {
  const found = await findByName(drive, { names, folderId, kind, fields }, call);
  return found.filter(({ id }) => id !== except);
}
