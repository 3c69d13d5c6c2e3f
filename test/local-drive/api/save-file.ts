import { randomUUID } from 'node:crypto';
import { lookup } from 'mime-types';
import { ApiError, invalidValue } from '../http/api-error';
import type { IncomingContent } from '../storage/content-store';
import { FOLDER, isWorkspaceType, SHORTCUT, type Content, type FileRecord } from '../storage/file-record';
import { isGeneratedId } from '../storage/ids';
import { storeContent, type DriveBackend } from './backend';
import { toRecordFields, type MetadataInput } from './metadata-input';
import { parentOfNewFile } from './parents';

/** Content that came with a request, and the media type that its sender gave. */
export interface UploadedContent {
  incoming: IncomingContent;
  mimeType?: string;
}

const EMPTY: Content = { size: 0 };
const DEFAULT_MIME_TYPE = 'application/octet-stream';

/** What a create checks before it takes any content: parents, the chosen id, the kind of file. */
export function checkNewFile(drive: DriveBackend, input: MetadataInput, upload: boolean): void {
  parentOfNewFile(drive, input.parents);
  if (input.id !== undefined) checkNewId(drive, input.id);
  if (upload && (input.mimeType === FOLDER || input.mimeType === SHORTCUT)) {
    throw invalidValue('mimeType', 'A folder or shortcut has no content.');
  }
}

/** Creates a file, folder, shortcut or native document. */
export async function createFile(
  drive: DriveBackend,
  input: MetadataInput,
  upload?: UploadedContent,
): Promise<FileRecord> {
  const now = drive.clock.now();
  const mimeType = input.mimeType ?? mimeTypeOf(upload?.mimeType, input.name);
  const save = async (content?: Content): Promise<FileRecord> => {
    // Only now that the content is in: another request may have made the same id meanwhile.
    checkNewFile(drive, input, upload !== undefined);
    return drive.store.create({
      name: 'Untitled',
      createdTime: now,
      modifiedTime: input.createdTime ?? now,
      ...toRecordFields(input),
      ...(input.id !== undefined && { id: input.id }),
      mimeType,
      parent: parentOfNewFile(drive, input.parents),
      ...(content && {
        content,
        revision: randomUUID(),
        originalFilename: input.originalFilename ?? input.name,
      }),
    });
  };
  if (!upload) return save(isWorkspaceType(mimeType) ? undefined : EMPTY);
  return storeWithinQuota(drive, upload.incoming, save);
}

/** Gives a file new content, and new metadata with it. The id stays. */
export async function replaceContent(
  drive: DriveBackend,
  record: FileRecord,
  changes: Partial<FileRecord>,
  upload: UploadedContent,
): Promise<FileRecord> {
  const before = record.content;
  const saved = await storeWithinQuota(drive, upload.incoming, async (content) => {
    const mimeType = changes.mimeType ?? upload.mimeType ?? record.mimeType;
    const modifiedTime = changes.modifiedTime ?? drive.clock.now();
    await drive.store.update(record, {
      ...changes,
      mimeType,
      modifiedTime,
      content,
      revision: randomUUID(),
    });
    return record;
  });
  if (before) await drive.content.remove(before);
  return saved;
}

async function storeWithinQuota(
  drive: DriveBackend,
  incoming: IncomingContent,
  save: (content: Content) => Promise<FileRecord>,
): Promise<FileRecord> {
  try {
    checkQuota(drive, incoming.size);
    return await storeContent(drive, incoming, save);
  } catch (error) {
    await drive.content.discard(incoming);
    throw error;
  }
}

/** 403 if so many bytes more do not fit into the account. */
export function checkQuota(drive: DriveBackend, size: number): void {
  if (drive.quota === undefined || drive.store.usage + size <= drive.quota) return;
  const message = "The user's Drive storage quota has been exceeded.";
  throw new ApiError(403, 'storageQuotaExceeded', message);
}

/** 409 for one that was given out before, 400 for one that was never. */
export function checkNewId(drive: DriveBackend, id: string): void {
  if (drive.store.get(id) || drive.store.changes.has(id)) {
    throw new ApiError(409, 'conflict', 'A file already exists with the provided ID.');
  }
  if (!isGeneratedId(id)) throw invalidValue('id', 'The provided file ID is not usable.');
}

/** As the real service: what the sender said, else by the name, else plain bytes. */
function mimeTypeOf(sent: string | undefined, name: string | undefined): string {
  if (sent !== undefined && sent !== '') return sent;
  return lookup(name ?? '') || DEFAULT_MIME_TYPE;
}
