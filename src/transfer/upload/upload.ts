/**
 * Uploads one file: waits for its turn, decides between create, replace and skip, sends and verifies.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads
 */
import { DriveError } from '../../errors';
import { projectFields, withFields } from '../../drive/fields';
import { nameLockKey } from '../../drive/conflict-policy';
import type { NameLock } from '../../drive/name-lock';
import { observedTransfer } from '../../http/observer';
import type { Semaphore } from '../../core/semaphore';
import type { CallOptions, DriveFile } from '../../types';
import { chooseUploadType } from './multipart';
import { checkConversion, checkReplaceable, mimeTypeOf, type UploadRequest } from './upload-request';
import { type SessionRegistry, sessionKey } from './session-registry';
import { planUpload } from './plan';
import { sendVerified } from './send';
import { openSource } from './source';
import type { UploadJob } from './upload-job';

export interface UploadResult {
  file: DriveFile;
  /** True for a new file, false for a replaced or skipped one. */
  created: boolean;
  skipped: boolean;
}

/** What the uploads of one account share. */
export interface UploadContext extends Pick<UploadJob, 'drive' | 'idPool' | 'checksums'> {
  /** Limits parallel transfers. An upload takes a permit only after it has its name lock. */
  transfers: Semaphore;
  nameLock: NameLock;
  sessions: SessionRegistry;
}

/**
 * Uploads a file. A large upload from disk resumes the session that an earlier run of the same upload has left behind,
 * in this process or a previous one.
 * @throws `invalid_input`, `local_file` (also for a file that changes while it is read), `conflict`,
 * `checksum_mismatch`, `quota_exceeded`, …
 */
export async function upload(
  context: UploadContext,
  request: UploadRequest,
  call: CallOptions,
): Promise<UploadResult> {
  if (request.name === '') throw new DriveError('invalid_input', { text: 'invalid_input_empty_name' });
  const from = mimeTypeOf(request);
  const { nameLock, transfers, drive } = context;
  await checkConversion(drive, { from, to: request.convertTo }, call);
  const run = (): Promise<UploadResult> =>
    transfers.run(() => uploadNow(context, request, call), call.signal);
  if (request.ifExists === 'duplicate') return run();
  return nameLock.run(nameLockKey(drive.service, request), run, call);
}

/** Uploads without waiting for a turn. */
export async function uploadNow(
  { drive, idPool, checksums, sessions }: UploadContext,
  request: UploadRequest,
  call: CallOptions,
): Promise<UploadResult> {
  const fields = withFields(request.fields, ['id']);
  const source = await openSource(request.content);
  const uploadType = chooseUploadType(source.length);
  const canResume = uploadType === 'resumable' && !request.convertTo;
  const key = canResume ? sessionKey(drive.service, request, source) : undefined;
  const lease = key === undefined ? undefined : sessions.lease(key);
  const budgeted = drive.engine.withRetryBudget(call);
  const job = { drive, idPool, checksums, request, source, uploadType, lease, call: budgeted };
  try {
    const { resolution, ...resume } = await planUpload(job);
    if (resolution.action === 'skip') {
      return { file: projectFields(resolution.file, fields), created: false, skipped: true };
    }
    if (resolution.action === 'replace') checkReplaceable(request, resolution.file);
    const send = (): Promise<DriveFile> => sendVerified(job, { resolution, ...resume });
    const file = await observedTransfer(drive.engine.observe, 'upload', () => source.length, send);
    return { file: projectFields(file, fields), created: resolution.action === 'create', skipped: false };
  } finally {
    lease?.release();
    await source.close();
  }
}
