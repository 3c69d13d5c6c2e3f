/** Decides what an upload does, from the files in the folder and from what an earlier run of it has stored. */
import { type ConflictResolution, resolveConflict } from '../../drive/conflict-policy';
import type { DriveFile } from '../../types';
import type { SavedSession } from './session-registry';
import type { ResumeState, UploadJob } from './upload-job';
import { responseFields } from './upload-request';
import { type DriveError, isDriveError } from '../../errors';
import { validateFile, withFields } from '../../drive/fields';
import { getMetadata, getMetadataIfSupported } from '../../drive/metadata';
import { queryStatus, checkedSessionUrl } from './session-requests';

interface UploadPlan<D extends ConflictResolution = ConflictResolution> {
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
  const resolution = await resolveName(job);
  if (saved && resumeState && isSameResolution(saved, resolution))
    return { resolution, id: saved.id, resumeState };
  void lease?.forget();
  return { resolution };
}

async function resolveName({ drive, request, call }: UploadJob): Promise<ConflictResolution> {
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

/**
 * @returns the file if only its last response was lost, the stored part if bytes are missing, undefined to start over
 * @throws temporary errors: starting over while the service can't be asked would send everything twice
 */
async function findResumeState(job: UploadJob, saved: SavedSession): Promise<ResumeState | undefined> {
  const { drive, source, call } = job;
  let state: ResumeState;
  try {
    const sessionUrl = checkedSessionUrl(saved.sessionUrl, drive.service.uploadUrl);
    const query = { sessionUrl, total: source.length };
    const status = await drive.engine.retry(() => queryStatus(drive, query, call), call);
    state = 'stored' in status ? { sessionUrl, stored: status.stored } : { file: validateFile(status.file) };
  } catch (error) {
    if (!isDriveError(error)) throw error;
    if (!isPermanent(error) && !isSessionHostUnreachable(job, saved, error)) throw error;
    // The following requests go to the service, which may well be reachable.
    call.budget.restart();
    return findCreatedFile(job, saved);
  }
  if ('file' in state && (await wasDeleted(job, state.file))) return undefined;
  return state;
}

/** The session has expired, or this account may not use it. */
function isPermanent({ code, retryable }: DriveError): boolean {
  return !retryable && code !== 'cancelled' && code !== 'sign_in_required';
}

/**
 * A session URL may be on a different host than the service. If only that host can't be reached within the retry
 * budget, the session is abandoned; otherwise every run would fail until the session expires. Without a file id the
 * session is needed: only it shows whether the file was created, and starting over could duplicate the file.
 */
function isSessionHostUnreachable(
  { drive }: UploadJob,
  { sessionUrl, id }: SavedSession,
  { code, status }: DriveError,
): boolean {
  const isUnreachable = (code === 'network' || code === 'timeout') && status === undefined;
  const isOtherHost = new URL(sessionUrl).origin !== new URL(drive.service.uploadUrl).origin;
  return id !== undefined && isUnreachable && isOtherHost;
}

/** A file with an id of ours can be found even if its session has expired. */
async function findCreatedFile(
  { drive, request, call }: UploadJob,
  { method, id }: SavedSession,
): Promise<ResumeState | undefined> {
  if (method !== 'POST' || id === undefined) return undefined;
  try {
    const file = await getMetadata(drive, id, withFields(responseFields(request), ['trashed']), call);
    return file.trashed === true ? undefined : { file };
  } catch (error) {
    if (isDriveError(error) && isPermanent(error)) return undefined;
    throw error;
  }
}

/** Whether the file was deleted or moved to the trash after the session had created it. */
async function wasDeleted({ drive, call }: UploadJob, { id }: DriveFile): Promise<boolean> {
  try {
    return (await getMetadataIfSupported(drive, id, 'id,trashed', call))?.trashed === true;
  } catch (error) {
    if (!isDriveError(error) || !isPermanent(error)) throw error;
    return error.code === 'not_found';
  }
}
