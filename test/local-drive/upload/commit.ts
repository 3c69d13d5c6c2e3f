import { ApiError } from '../service/api-error';
import { withByteChanged } from '../content/changed-byte';
import type { IncomingContent } from '../content/content-store';
import { isFolder, type FileRecord } from '../metadata/file-record';
import { changesOf } from '../files/create-update';
import { existingFile, type DriveContext } from '../files/drive';
import type { MetadataInput } from '../files/metadata-input';
import { checkKnown } from '../files/shared-drives';
import { checkNew, createFile, replaceContent, type Upload } from '../files/write';
import type { Effects } from '../service/exchange';

/** What an upload is for: a new file, or new content for one that exists. */
export interface UploadTarget {
  /** Absent for a new file. */
  fileId?: string;
  input: MetadataInput;
  query: URLSearchParams;
}

/** Refuses an upload that could not be completed, before its content comes in. */
export function checkTarget(drive: DriveContext, { fileId, input, query }: UploadTarget): void {
  checkKnown(drive.store, query, [...(fileId === undefined ? [] : [fileId]), ...(input.parents ?? [])]);
  if (fileId === undefined) {
    checkNew(drive, input, true);
    return;
  }
  const record = existingFile(drive, fileId);
  if (isFolder(record)) throw new ApiError(403, 'fileNotWritable', 'A folder has no content.');
  changesOf(drive, record, input, query);
}

/** Makes received content a file. */
export async function commit(drive: DriveContext, target: UploadTarget, upload: Upload): Promise<FileRecord> {
  const { fileId, input, query } = target;
  if (fileId === undefined) return createFile(drive, input, upload);
  const record = existingFile(drive, fileId);
  return replaceContent(drive, record, changesOf(drive, record, input, query), upload);
}

/** Writes what arrives to disk; nothing stays if it ends too early. */
export async function receive(
  drive: DriveContext,
  chunks: AsyncIterable<Buffer>,
  { corruptStoredAt }: Effects = {},
): Promise<IncomingContent> {
  const incoming = drive.content.begin();
  const writer = await drive.content.writer(incoming);
  try {
    for await (const chunk of withByteChanged(chunks, corruptStoredAt)) await writer.write(chunk);
    await writer.close();
    return incoming;
  } catch (error) {
    await writer.close().catch(() => undefined);
    await drive.content.drop(incoming);
    throw error;
  }
}
