/** What an earlier run of the same upload has left on the service: the complete file, part of it, or nothing usable. */
import { type DriveError, isDriveError } from '../../errors';
import { validateFile, withFields } from '../../drive/fields';
import { getMetadata, getMetadataIfSupported } from '../../drive/metadata';
import type { DriveFile } from '../../types';
import type { SavedSession } from './session-registry';
import { queryStatus } from './session-requests';
import { checkedSessionUrl } from './session-url';
import type { ResumeState, UploadJob } from './upload-job';
import { responseFields } from './upload-request';

/**
 * @returns the file if only its last response was lost, the stored part if bytes are missing, undefined to start over
 * @throws temporary errors: starting over while the service can't be asked would send everything twice
 */
export async function findResumeState(job: UploadJob, saved: SavedSession): Promise<ResumeState | undefined> {
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
