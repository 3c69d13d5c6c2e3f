/** What an upload does where the folder has a file of that name. */
import { DriveError } from '../errors';
import type { Drive } from '../files/drive';
import { ambiguous, askableAtOnce, composed, findByName, listedIds } from '../files/find-by-name';
import { numberedName } from '../files/numbered-name';
import type { CallOptions, DriveFile } from '../types';

export type IfExists = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

export interface Wanted {
  name: string;
  /** `''`: the root. */
  folderId: string;
  ifExists: IfExists;
  fields: string;
}

/** A new file of that name, new content for one, or nothing. */
export type Decision =
  | { action: 'create'; name: string }
  | { action: 'replace'; file: DriveFile }
  | { action: 'skip'; file: DriveFile };

/** @throws `conflict` where the file exists (`error`), or several do (`replace`, `skip`) */
export async function decide(drive: Drive, wanted: Wanted, call: CallOptions): Promise<Decision> {
  const { name, folderId, ifExists, fields } = wanted;
  if (ifExists === 'duplicate') return { action: 'create', name };
  if (ifExists === 'rename') return { action: 'create', name: await firstFree(drive, wanted, call) };
  const found = await findByName(drive, { names: [name], folderId, kind: 'files', fields }, call);
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

async function firstFree(drive: Drive, wanted: Wanted, call: CallOptions): Promise<string> {
  const { name, folderId } = wanted;
  for (let first = 0, length = 1; ; first += length, length = BATCH) {
    const batch = Array.from({ length }, (_, index) => numberedName(name, first + index));
    length = askableAtOnce(drive.service, batch);
    const names = batch.slice(0, length);
    const found = await findByName(drive, { names, folderId, kind: 'files', fields: 'id,name' }, call);
    const taken = new Set(found.map((file) => composed(file.name ?? '')));
    const free = names.find((each) => !taken.has(composed(each)));
    if (free !== undefined) return free;
  }
}
