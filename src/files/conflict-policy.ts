/** What becomes of a file where the folder has one of that name already. */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile, Service } from '../types';
import { type DriveContext, rootId } from '../api/drive-context';
import { ambiguous, askableAtOnce, toNFC, findByName, listedIds } from './find-by-name';
import { numberedName, withoutNumber } from './numbered-name';
import type { NamedPlace } from './name-lock';

export type IfExists = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

export interface Wanted {
  name: string;
  /** `''`: the root. */
  folderId: string;
  ifExists: IfExists;
  fields: string;
  /** Of which kind the others are that are in its way; files where it is not given. */
  kind?: 'files' | 'folders';
  /** A file that is never in its own way. */
  except?: string;
}

/** A new file of that name, new content for one, or nothing. */
export type Decision =
  | { action: 'create'; name: string }
  | { action: 'replace'; file: DriveFile }
  | { action: 'skip'; file: DriveFile };

/** What runs one after the other: the name of one may be taken by another, also with a number behind it. */
export function turnFor(service: Service, { folderId, name }: NamedPlace): NamedPlace {
  return { folderId: folderId || rootId(service), name: toNFC(withoutNumber(name)) };
}

/** @throws `conflict` where the file exists (`error`), or several do (`replace`, `skip`) */
export async function decide(drive: DriveContext, wanted: Wanted, call: CallOptions): Promise<Decision> {
  const { name, ifExists } = wanted;
  if (ifExists === 'duplicate') return { action: 'create', name };
  if (ifExists === 'rename') return { action: 'create', name: await firstFree(drive, wanted, call) };
  const found = await others(drive, wanted, [name], call);
  const [file] = found;
  if (!file) return { action: 'create', name };
  if (ifExists === 'error') {
    throw new DriveError('conflict', { text: 'conflict_exists', params: { name, ids: listedIds(found) } });
  }
  if (found.length > 1) throw ambiguous(name, found);
  return { action: ifExists, file };
}

/** Names that are asked for at once: mostly the first is free, so it is asked for alone. */
const BATCH = 20;

async function firstFree(drive: DriveContext, wanted: Wanted, call: CallOptions): Promise<string> {
  const { name } = wanted;
  for (let first = 0, length = 1; ; first += length, length = BATCH) {
    const batch = Array.from({ length }, (_, index) => numberedName(name, first + index));
    length = askableAtOnce(drive.service, batch);
    const names = batch.slice(0, length);
    const found = await others(drive, { ...wanted, fields: 'id,name' }, names, call);
    const taken = new Set(found.map((file) => toNFC(file.name ?? '')));
    const free = names.find((each) => !taken.has(toNFC(each)));
    if (free !== undefined) return free;
  }
}

async function others(
  drive: DriveContext,
  { folderId, kind = 'files', fields, except }: Wanted,
  names: readonly string[],
  call: CallOptions,
): Promise<DriveFile[]> {
  const found = await findByName(drive, { names, folderId, kind, fields }, call);
  return found.filter(({ id }) => id !== except);
}
