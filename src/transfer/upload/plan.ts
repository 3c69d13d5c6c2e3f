/** Decides what an upload does, from the files in the folder and from what an earlier run of it has stored. */
import { type ConflictResolution, resolveConflict } from '../../drive/conflict-policy';
import type { DriveFile } from '../../types';
import { findResumeState } from './resume-state';
import type { SavedSession } from './session-registry';
import type { ResumeState, UploadJob } from './upload-job';
import { responseFields } from './upload-request';

export interface UploadPlan<D extends ConflictResolution = ConflictResolution> {
  resolution: D;
  /** File id that an earlier run has chosen for the file to be created. */
  id?: string;
  resumeState?: ResumeState;
}

/** A plan that sends content. */
export type SendPlan = UploadPlan<Exclude<ConflictResolution, { action: 'skip' }>>;

/**
 * Looks at the earlier run first: if it has completed the file, the folder already contains it.
 * @throws as {@link resolveConflict} and {@link findResumeState}
 */
export async function planUpload(job: UploadJob): Promise<UploadPlan> {
  const { request, lease } = job;
  const saved = lease?.saved;
  const resumeState = saved && (await findResumeState(job, saved));
  if (saved && resumeState && 'file' in resumeState) {
    const resolution = completedResolution(saved, resumeState.file, request.name);
    return { resolution, id: saved.id, resumeState };
  }
  const resolution = await resolve(job);
  if (saved && resumeState && isSameResolution(saved, resolution))
    return { resolution, id: saved.id, resumeState };
  void lease?.forget();
  return { resolution };
}

async function resolve({ drive, request, call }: UploadJob): Promise<ConflictResolution> {
  if (request.replaces !== undefined) return { action: 'replace', file: { id: request.replaces } };
  return resolveConflict(drive, { ...request, fields: responseFields(request) }, call);
}

/** The resolution that the completed session has carried out. */
function completedResolution(
  saved: SavedSession,
  file: DriveFile,
  requestedName: string,
): SendPlan['resolution'] {
  if (saved.method === 'PATCH') return { action: 'replace', file };
  return { action: 'create', name: saved.name ?? requestedName };
}

/** False if the folder has changed so that the session would create or replace the wrong file. */
function isSameResolution({ method, id, name }: SavedSession, resolution: ConflictResolution): boolean {
  if (resolution.action === 'replace') return method === 'PATCH' && id === resolution.file.id;
  return resolution.action === 'create' && method === 'POST' && name === resolution.name;
}
