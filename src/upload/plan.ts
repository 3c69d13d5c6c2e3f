/** What an upload is to do: decided by what the folder holds, and by what an earlier run has left. */
import { CHECKSUM_FIELDS } from '../api/checksums';
import type { DriveContext } from '../api/drive-context';
import { withFields } from '../api/fields';
import { type ConflictResolution, type ConflictPolicy, resolveConflict } from '../files/conflict-policy';
import type { CallOptions, DriveFile } from '../types';
import { type Left, leftBy } from './resume-state';
import type { SessionLease, SavedSession } from './session-registry';
import type { NewContent } from './file-metadata';
import type { Source } from './source';

export type SendingPlan = (
  | {
      action: 'create';
      name: string;
      /** With which an earlier run has begun. */
      id?: string | undefined;
    }
  | { action: 'replace'; file: DriveFile }
) & { left?: Left };

export type Plan = { action: 'skip'; file: DriveFile } | SendingPlan;

export interface Asked {
  request: NewContent & { ifExists: ConflictPolicy; fields: string };
  source: Source;
  /** Undefined where no earlier run is to be found. */
  claim: SessionLease | undefined;
}

/** Fields that an upload asks for. */
export function answerFields({ fields }: { fields: string }): string {
  return withFields(fields, ['id', ...CHECKSUM_FIELDS]);
}

/**
 * An earlier run is looked at first: where it has made the file after all, the folder has that now.
 * @throws what {@link resolveConflict} throws
 */
export async function planOf(
  drive: DriveContext,
  { request, source, claim }: Asked,
  call: CallOptions,
): Promise<Plan> {
  const fields = answerFields(request);
  const earlier = claim?.earlier;
  const left = earlier && (await leftBy(drive, earlier, { length: source.length, fields }, call));
  if (earlier && left && 'file' in left) return { ...madeBy(earlier, left.file, request.name), left };
  const decision = await resolveConflict(drive, { ...request, fields }, call);
  const plan = earlier && left ? goneOn(earlier, decision) : undefined;
  if (plan && left) return { ...plan, left };
  void claim?.forget();
  return decision;
}

/** What the session has done. */
function madeBy({ method, id, name }: SavedSession, file: DriveFile, otherwise: string): SendingPlan {
  return method === 'PATCH' ? { action: 'replace', file } : { action: 'create', name: name ?? otherwise, id };
}

/** What is left to do where a session does what is decided; undefined where the folder has changed since. */
function goneOn({ method, id, name }: SavedSession, decision: ConflictResolution): SendingPlan | undefined {
  const { action } = decision;
  if (action === 'replace') return method === 'PATCH' && id === decision.file.id ? decision : undefined;
  if (action === 'create')
    return method === 'POST' && name === decision.name ? { ...decision, id } : undefined;
  return undefined;
}
