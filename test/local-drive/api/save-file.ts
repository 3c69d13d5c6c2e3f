import { randomUUID } from 'node:crypto';
import { lookup } from 'mime-types';
import { ApiError, invalidValue } from '../http/api-error';
import type { IncomingContent } from '../storage/content-store';
import { FOLDER, isWorkspaceType, SHORTCUT, type Content, type FileRecord } from '../storage/file-record';
import { isGeneratedId } from '../storage/ids';
import { storeContent, type DriveBackend } from './backend';
import { currentRevision } from './revision-resource';
import { toRecordFields, type MetadataInput } from './metadata-input';
import { checkConversion } from './import';
import { parentOfNewFile } from './parents';

/** Received content with the MIME type sent by the client. */
export interface UploadedContent {
  incoming: IncomingContent;
  mimeType?: string;
}

const EMPTY: Content = { size: 0 };
const DEFAULT_MIME_TYPE = 'application/octet-stream';

/** Validates a create before any content is received: parents, id and MIME type. */
export function checkNewFile(drive: DriveBackend, input: MetadataInput, upload: boolean): void {
  const parent = parentOfNewFile(drive, input.parents);
  if (upload) checkHasStorage(drive, parent);
  if (input.id !== undefined) {
    checkNewId(drive, input.id);
    checkGeneratedIdSupported(input.mimeType);
  }
  if (upload && (input.mimeType === FOLDER || input.mimeType === SHORTCUT)) {
    throw invalidValue('mimeType', 'A folder or shortcut has no content.');
  }
}

/** 403 unless the target exists and is not a shortcut itself. */
export function checkShortcutTarget({ store }: DriveBackend, id = ''): void {
  const target = store.get(id);
  if (target && target.mimeType !== SHORTCUT) return;
  throw new ApiError(403, 'shortcutTargetInvalid', 'The shortcut target is invalid.');
}

/**
 * Folders may have a generated id, but not documents, conversions and shortcuts.
 * https://developers.google.com/workspace/drive/api/guides/create-file#generate_ids_to_use_with_your_files
 */
export function checkGeneratedIdSupported(mimeType = ''): void {
  if (!isWorkspaceType(mimeType) || mimeType === FOLDER) return;
  throw invalidValue('id', 'Generated IDs are not supported for Docs Editors formats.');
}

/** Creates a file, folder, shortcut or Workspace document. */
export async function createFile(
  drive: DriveBackend,
  input: MetadataInput,
  upload?: UploadedContent,
): Promise<FileRecord> {
  const now = drive.clock.now();
  const mimeType = input.mimeType ?? mimeTypeOf(upload?.mimeType, input.name);
  checkConversion(upload?.mimeType, mimeType);
  const { shortcutTarget = '' } = input;
  const save = async (content?: Content): Promise<FileRecord> => {
    // Checked again after the upload, because another request may have used the same id meanwhile.
    checkNewFile(drive, input, upload !== undefined);
    return drive.store.create({
      name: 'Untitled',
      createdTime: now,
      modifiedTime: input.createdTime ?? now,
      ...toRecordFields(input),
      ...(input.id !== undefined && { id: input.id }),
      mimeType,
      shortcutTargetMimeType: drive.store.get(shortcutTarget)?.mimeType,
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

/** Replaces the content and metadata of a file. */
export async function replaceContent(
  drive: DriveBackend,
  record: FileRecord,
  changes: Partial<FileRecord>,
  upload: UploadedContent,
): Promise<FileRecord> {
  const before = record.content;
  checkConversion(upload.mimeType, changes.mimeType ?? record.mimeType);
  const earlierRevisions = [...(record.earlierRevisions ?? []), ...currentRevision(record)];
  const saved = await storeWithinQuota(drive, upload.incoming, async (content) => {
    const kept = isWorkspaceType(record.mimeType) ? record.mimeType : upload.mimeType;
    const mimeType = changes.mimeType ?? kept ?? record.mimeType;
    const modifiedTime = changes.modifiedTime ?? drive.clock.now();
    await drive.store.update(record, {
      ...changes,
      mimeType,
      modifiedTime,
      content,
      revision: randomUUID(),
      keepRevisionForever: undefined,
      earlierRevisions,
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

/** 403 if this many more bytes exceed the storage limit. */
export function checkQuota(drive: DriveBackend, size: number): void {
  if (drive.quota === undefined || drive.store.usage + size <= drive.quota) return;
  const message = "The user's Drive storage quota has been exceeded.";
  throw new ApiError(403, 'storageQuotaExceeded', message);
}

/** 403 for content that a service account would own: it has no storage, unlike shared drives. */
function checkHasStorage({ hasStorage, store }: DriveBackend, parent: string): void {
  const folder = store.get(parent);
  if (hasStorage || (folder && store.driveIdOf(folder) !== undefined)) return;
  const message =
    'Service Accounts do not have storage quota. Leverage shared drives ' +
    '(https://developers.google.com/workspace/drive/api/guides/about-shareddrives), ' +
    'or use OAuth delegation (http://support.google.com/a/answer/2781935) instead.';
  throw new ApiError(403, 'storageQuotaExceeded', message);
}

/** 409 for an id that was already used, 400 for one that generateIds never returned. */
export function checkNewId(drive: DriveBackend, id: string): void {
  if (drive.store.get(id) || drive.store.changes.has(id)) {
    throw new ApiError(409, 'conflict', 'A file already exists with the provided ID.');
  }
  if (!isGeneratedId(id)) throw invalidValue('id', 'The provided file ID is not usable.');
}

/** The MIME type sent by the client, or else the one of the file name extension. */
function mimeTypeOf(sent: string | undefined, name: string | undefined): string {
  if (sent !== undefined && sent !== '') return sent;
  return lookup(name ?? '') || DEFAULT_MIME_TYPE;
}
