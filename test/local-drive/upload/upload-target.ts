import { ApiError } from '../http/api-error';
import { corruptChunks } from '../faults/corrupt-byte';
import type { IncomingContent } from '../storage/content-store';
import { isFolder, type FileRecord } from '../storage/file-record';
import { updatedFields } from '../api/create-update-delete';
import { existingFile, type DriveBackend } from '../api/backend';
import type { MetadataInput } from '../api/metadata-input';
import { checkSupportsAllDrives } from '../api/shared-drives';
import { checkNewFile, createFile, replaceContent, type UploadedContent } from '../api/save-file';
import type { FaultEffects } from '../http/request-context';

/** A new file, or an existing one whose content is replaced. */
export interface UploadTarget {
  /** Absent for a new file. */
  fileId?: string;
  input: MetadataInput;
  query: URLSearchParams;
}

/** Rejects an upload that can't be completed, before receiving its content. */
export function checkUploadTarget(drive: DriveBackend, { fileId, input, query }: UploadTarget): void {
  checkSupportsAllDrives(drive.store, query, [
    ...(fileId === undefined ? [] : [fileId]),
    ...(input.parents ?? []),
  ]);
  if (fileId === undefined) {
    checkNewFile(drive, input, true);
    return;
  }
  const record = existingFile(drive, fileId);
  if (isFolder(record)) throw new ApiError(403, 'fileNotWritable', 'A folder has no content.');
  updatedFields(drive, record, input, query);
}

/** Saves received content as a file. */
export async function saveUpload(
  drive: DriveBackend,
  target: UploadTarget,
  upload: UploadedContent,
): Promise<FileRecord> {
  const { fileId, input, query } = target;
  if (fileId === undefined) return createFile(drive, input, upload);
  const record = existingFile(drive, fileId);
  return replaceContent(drive, record, updatedFields(drive, record, input, query), upload);
}

/** Stores a stream of content; deletes it if the stream fails. */
export async function receiveContent(
  drive: DriveBackend,
  chunks: AsyncIterable<Buffer>,
  { corruptStoredAt }: FaultEffects = {},
): Promise<IncomingContent> {
  const incoming = drive.content.create();
  const writer = await drive.content.writer(incoming);
  try {
    for await (const chunk of corruptChunks(chunks, corruptStoredAt)) await writer.write(chunk);
    await writer.close();
    return incoming;
  } catch (error) {
    await writer.close().catch(() => undefined);
    await drive.content.discard(incoming);
    throw error;
  }
}
