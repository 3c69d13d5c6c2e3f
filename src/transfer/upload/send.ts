/** Sends the content and verifies it, with a second attempt after a checksum mismatch. */
import { type DriveError, isDriveError } from '../../errors';
import { checksumAlgorithm, verifyChecksum, verifySize } from '../../drive/checksums';
import { validateFile } from '../../drive/fields';
import { createIdempotently } from '../../drive/idempotent-create';
import type { JsonObject } from '../../core/validator';
import { mayHaveBeenProcessed } from '../../http/retry';
import type { CallOptions, DriveFile } from '../../types';
import { HashingBody } from './hashing-body';
import { sendMultipart } from './multipart';
import type { SendPlan } from './plan';
import { sendResumable } from './resumable';
import { type UploadAttempt, type UploadJob, type SessionAttempt, uploadTarget } from './upload-job';
import { deletePermanently, trash } from '../../drive/delete';
import { getMetadataIfSupported } from '../../drive/metadata';

/**
 * After a mismatch the upload is undone and sent once more from the first byte, unless that could leave two files. One
 * cause is a file on disk whose content changed between two runs while its size and modification time did not.
 * @throws `checksum_mismatch`, …
 */
export async function sendVerified(job: UploadJob, plan: SendPlan): Promise<DriveFile> {
  const { checksums, lease } = job;
  for (let isRetry = false; ; isRetry = true) {
    const attempt = await newAttempt(job, isRetry ? { resolution: plan.resolution } : plan);
    const file = await fetchMissingFields(attempt, await sendOrFind(attempt));
    checksums.learn(file);
    try {
      // A converted document has neither the size nor the checksum of what was sent.
      if (!job.request.convertTo) {
        await verifyUpload(attempt, file);
        if (checksumAlgorithm(file)) job.source.free();
      }
      void lease?.forget();
      return file;
    } catch (error) {
      if (!isDriveError(error, 'checksum_mismatch')) throw error;
      const canRetry = await undo(attempt, file);
      void lease?.forget();
      if (isRetry || !canRetry) throw error;
    }
  }
}

async function newAttempt(job: UploadJob, plan: SendPlan): Promise<UploadAttempt> {
  const { drive, request, source, checksums, call } = job;
  const { resolution, id, resumeState } = plan;
  const body = new HashingBody(source, checksums.algorithms, {
    onProgress: request.onProgress,
    onAdvance: () => call.budget.restart(),
    resumed: resumeState && 'stored' in resumeState ? resumeState.stored : 0,
    bandwidth: drive.bandwidth,
    signal: call.signal,
  });
  return { target: await uploadTarget(job, resolution, id), body, resumeState, ...job };
}

/**
 * Texts that say what is known. A lost session means that the file doesn't exist: otherwise, the service would have
 * refused to start another session with the same id.
 */
const SAYS_OUTCOME = new Set<string>(['service_unavailable_outcome', 'service_unavailable_session']);

async function sendOrFind(attempt: UploadAttempt): Promise<DriveFile> {
  const { drive, target, body, resumeState, call } = attempt;
  if (resumeState && 'file' in resumeState) return resumeState.file;
  const isNew = target.method === 'POST';
  const id = isNew ? target.id : undefined;
  // A user who repeated the upload could get the file twice.
  let mayHaveArrived = false;
  const note = (error: DriveError): void => {
    mayHaveArrived ||= isNew && body.wasSent && mayHaveBeenProcessed(error);
  };
  const onWait: CallOptions['onWait'] = (delay, error) => {
    if (error) note(error);
    call.onWait?.(delay, error);
  };
  const noted = { ...attempt, call: { ...call, onWait } };
  const create = async (): Promise<DriveFile> => validateFile(await sendContent(noted));
  try {
    return await createIdempotently(drive, { id, fields: target.fields }, create, call);
  } catch (error) {
    if (!isDriveError(error)) throw error;
    note(error);
    error.isOutcomeUnknown ||= mayHaveArrived && !SAYS_OUTCOME.has(error.text);
    throw error;
  }
}

/** A custom service that refuses to start a session gets the content in one request. */
async function sendContent(attempt: UploadAttempt): Promise<JsonObject> {
  if (attempt.uploadType === 'multipart') return sendMultipart(attempt);
  return (await sendResumable(attempt)) ?? sendMultipart(attempt);
}

/**
 * Requests the metadata if a custom service has left the size or checksum out of its response. Errors are ignored: the
 * upload has succeeded, and a user who repeated it would get the file twice.
 * @param file the response to the upload
 * @throws `cancelled`
 */
export async function fetchMissingFields(
  { drive, target, call }: SessionAttempt,
  file: DriveFile,
): Promise<DriveFile> {
  const isMissing = file.size === undefined || file.md5Checksum === undefined;
  if (drive.service.can.uploadFields || !isMissing) return file;
  const complete = await getMetadataIfSupported(drive, file.id, target.fields, call).catch(
    (error: unknown) => {
      if (!isDriveError(error) || error.code === 'cancelled') throw error;
      return undefined;
    },
  );
  return { ...complete, ...file };
}

/** @throws `checksum_mismatch` */
export async function verifyUpload({ body }: SessionAttempt, file: DriveFile): Promise<void> {
  if (body.length !== undefined) verifySize(file, body.length);
  const algorithm = checksumAlgorithm(file);
  if (algorithm) verifyChecksum(file, algorithm, await body.digest(algorithm));
}

/**
 * Removes the file if this upload has certainly created it. A custom service that chose the id may have treated the
 * upload as new content of an existing file.
 * @returns whether the upload can be repeated without leaving two files
 * @throws `cancelled`
 */
export async function undo(
  { drive, target, resumeState, call }: SessionAttempt,
  file: DriveFile,
): Promise<boolean> {
  if (target.method === 'PATCH') return true;
  if (!drive.service.can.duplicateNames && file.id !== target.id) return false;
  // A user may have edited what an earlier run has created, but not in the hidden app data folder, which has no trash.
  const mayBeEdited = resumeState && 'file' in resumeState && drive.service.space === undefined;
  const remove = mayBeEdited ? trash : deletePermanently;
  try {
    await remove(drive, file.id, call);
    return true;
  } catch (error) {
    if (!isDriveError(error) || error.code === 'cancelled') throw error;
    return false;
  }
}
