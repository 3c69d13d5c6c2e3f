import { hasDownloadableContent, type FileRecord, type Revision } from '../storage/file-record';

/** The current content as a revision; none if the file has no content. */
export function currentRevision(record: FileRecord): Revision[] {
  if (!hasDownloadableContent(record)) return [];
  const { revision, modifiedTime, mimeType, originalFilename, keepRevisionForever, content } = record;
  const { size, md5 } = content;
  const keepForever = keepRevisionForever ?? false;
  return [{ id: revision ?? record.id, modifiedTime, mimeType, originalFilename, keepForever, size, md5 }];
}
