/**
 * Uploads content of unknown length that can be read only once, in parts of a resumable session.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { type FileHandle, mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isDriveError } from '../../errors';
import { localFileError } from '../../fs/local-file-error';
import { deletePermanently } from '../../drive/delete';
import { projectFields, validateFile, withFields } from '../../drive/fields';
import { createIdempotently } from '../../drive/idempotent-create';
import { getMetadata } from '../../drive/metadata';
import { observedTransfer } from '../../http/observer';
import type { BudgetedCall } from '../../http/retry';
import type { CallOptions, DriveFile } from '../../types';
import { MULTIPART_LIMIT } from './multipart';
import { sendResumable } from './resumable';
import { StreamBody } from './stream-body';
import { type UploadContext, uploadNow } from './upload';
import { type SessionAttempt, uploadTarget } from './upload-job';
import type { UploadRequest } from './upload-request';
import { fetchMissingFields, undo, verifyUpload } from './send';

export interface StreamUploadRequest extends Pick<UploadRequest, 'folderId' | 'mimeType' | 'fields'> {
  /**
   * Called when the file is about to be created: after the end of the content if it is small, or if the service needs
   * its length first; otherwise while the content is still being read.
   */
  name: () => string;
  /** Called as {@link name}. */
  metadata: () => UploadRequest['metadata'];
  /** Read once. Its memory may be reused after the next call. */
  content: AsyncIterable<Buffer>;
  /** Folder on disk for a temporary file, which is needed at a service without upload sessions. */
  temporaryFolder: string;
  /** Called with the bytes handed to the socket. */
  onProgress?: (sent: number) => void;
}

/**
 * Creates the file once it is complete and verified; otherwise no file remains. The service shows nothing of an upload
 * that was interrupted.
 * @throws the error of the content; `service_unavailable` if the session expires, since the bytes sent can't be read
 *   again; `checksum_mismatch`; `local_file` without room for a temporary file; …
 */
export function uploadStream(
  context: UploadContext,
  request: StreamUploadRequest,
  call: CallOptions,
): Promise<DriveFile> {
  return context.transfers.run(() => sendStream(context, request, call), call.signal);
}

async function sendStream(
  context: UploadContext,
  request: StreamUploadRequest,
  options: CallOptions,
): Promise<DriveFile> {
  const call = context.drive.engine.withRetryBudget(options);
  const body = new StreamBody(request.content, {
    onProgress: request.onProgress,
    onAdvance: () => call.budget.restart(),
    bandwidth: context.drive.bandwidth,
    signal: call.signal,
  });
  try {
    const data = await body.wholeIfSmall(MULTIPART_LIMIT);
    if (data) return (await uploadNow(context, knownLength(request, { data }), call)).file;
    const file = await sendInSession(context, request, { body, call });
    const fields = withFields(request.fields, ['id']);
    return projectFields(file ?? (await sendFromDisk(context, request, { body, call })), fields);
  } finally {
    await body.close();
  }
}

interface StreamAttempt {
  body: StreamBody;
  call: BudgetedCall;
}

/** @returns undefined if a custom service refuses to start a session */
async function sendInSession(
  { drive, idPool }: UploadContext,
  request: StreamUploadRequest,
  { body, call }: StreamAttempt,
): Promise<DriveFile | undefined> {
  const job = { drive, idPool, request: knownLength(request, { data: '' }), call };
  const source = { modifiedTime: undefined };
  const { name } = job.request;
  const target = await uploadTarget({ ...job, source }, { action: 'create', name }, undefined);
  const attempt = { drive, target, lease: undefined, resumeState: undefined, body, call };
  const bytes = (): number => body.length ?? body.position;
  const sent = await observedTransfer(drive.engine.observe, 'upload', bytes, () => sendOnce(attempt));
  if (!sent) return undefined;
  const file = await fetchMissingFields(attempt, sent);
  try {
    await verifyUpload(attempt, file);
    if (file.sha256Checksum ?? file.md5Checksum) body.free();
    return file;
  } catch (error) {
    if (isDriveError(error, 'checksum_mismatch')) await undo(attempt, file);
    throw error;
  }
}

async function sendOnce(attempt: SessionAttempt): Promise<DriveFile | undefined> {
  const { drive, target, body, call } = attempt;
  const send = async (): Promise<DriveFile | undefined> => {
    const file = await sendResumable(attempt);
    return file && validateFile(file);
  };
  try {
    return await createIdempotently(drive, target, send, call);
  } catch (error) {
    if (!body.wasSent || target.id === undefined) throw error;
    // Only the last response may be missing: then the file exists.
    if (!isDriveError(error, 'cancelled')) {
      const file = await getMetadata(drive, target.id, target.fields, call).catch(() => undefined);
      if (file) return file;
    }
    // Not cancelled with the call: nobody would use the file.
    await deletePermanently(drive, target.id, { retryFor: 0 }).catch(() => undefined);
    throw error;
  }
}

/** Stores the content in a temporary file, because the service needs its length first. */
async function sendFromDisk(
  context: UploadContext,
  request: StreamUploadRequest,
  { body, call }: StreamAttempt,
): Promise<DriveFile> {
  return withTemporaryFile(request.temporaryFolder, async (temporary) => {
    for await (const chunk of body.readAll()) {
      await writeFully(temporary, chunk).catch((error: unknown) => {
        throw temporaryFileError(error, request.temporaryFolder);
      });
      call.budget.restart();
    }
    return (await uploadNow(context, knownLength(request, { temporary }), call)).file;
  });
}

/**
 * The file has no name any more when the work starts: the system removes it once it is closed, also if the process is
 * killed. Windows removes it, and its folder, only at the end.
 */
async function withTemporaryFile<T>(folder: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const own = await mkdtemp(path.join(folder, 'cloud-drive-')).catch((error: unknown) => {
    throw temporaryFileError(error, folder);
  });
  const content = path.join(own, 'content');
  // Never more than that: another user may have put another folder in its place.
  const remove = async (): Promise<void> => {
    await rm(content, { force: true }).catch(() => undefined);
    await rmdir(own).catch(() => undefined);
  };
  try {
    const file = await open(content, 'wx+', 0o600).catch((error: unknown) => {
      throw temporaryFileError(error, folder);
    });
    await remove();
    return await work(file).finally(() => file.close().catch(() => undefined));
  } finally {
    await remove();
  }
}

async function writeFully(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    written += (await file.write(chunk, written)).bytesWritten;
  }
}

function temporaryFileError(error: unknown, folder: string): Error {
  return localFileError(error, folder, { ENOSPC: 'local_file_no_room', EDQUOT: 'local_file_no_room' });
}

function knownLength(
  { name, folderId, mimeType, metadata, fields, onProgress }: StreamUploadRequest,
  content: UploadRequest['content'],
): UploadRequest {
  const target = { name: name(), folderId, mimeType, metadata: metadata(), fields };
  const progress = onProgress && { onProgress: (sent: number) => onProgress(sent) };
  return { ...target, ...progress, content, keepModifiedTime: false, ifExists: 'duplicate' };
}
