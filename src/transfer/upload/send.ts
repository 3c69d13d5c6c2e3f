/** Sends the content and verifies it, with a second attempt after a checksum mismatch. */
import { type DriveError, isDriveError } from '../../errors';
import { checksumAlgorithm } from '../../drive/checksums';
import { validateFile } from '../../drive/fields';
import { createIdempotently } from '../../drive/idempotent-create';
import type { JsonObject } from '../../core/validator';
import { mayHaveBeenProcessed } from '../../http/retry';
import type { CallOptions, DriveFile } from '../../types';
import { HashingBody } from './hashing-body';
import { sendMultipart } from './multipart';
import type { SendPlan } from './plan';
import { sendResumable } from './resumable';
import type { UploadAttempt, UploadJob } from './upload-job';
import { uploadTarget } from './upload-target';
import { fetchMissingFields, undo, verify } from './verify';

/**
 * After a mismatch the upload is undone and sent once more from the first byte, unless that could leave two files. One
 * cause is a file on disk whose content changed between two runs while its size and modification time did not.
 * @throws `checksum_mismatch`, …
 */
export async function sendVerified(job: UploadJob, plan: SendPlan): Promise<DriveFile> {
  const { checksums, lease } = job;
  for (let isRetry = false; ; isRetry = true) {
    const attempt = await newAttempt(job, isRetry ? { resolution: plan.resolution } : plan);
    const file = await fetchMissingFields(attempt, await send(attempt));
    checksums.learn(file);
    try {
      // A converted document has neither the size nor the checksum of what was sent.
      if (!job.request.convertTo) {
        await verify(attempt, file);
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

async function send(attempt: UploadAttempt): Promise<DriveFile> {
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
