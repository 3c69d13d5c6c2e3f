import type { Request, Response } from 'express';
import { ApiError, driveNotFound } from '../http/api-error';
import { readJsonBody } from '../http/request-body';
import { queryOf } from '../http/query-parameters';
import { isFolder, SHORTCUT, type FileRecord } from '../storage/file-record';
import { existingFile, requestedMask, type DriveBackend } from './backend';
import { readMetadata, toRecordFields, type MetadataInput } from './metadata-input';
import { parentAfterUpdate, parentOfNewFile } from './parents';
import { toResource } from './resource';
import { FILE } from './schemas';
import { checkSupportsAllDrives, checkRole } from './shared-drives';
import { checkSpaceUnchanged } from './spaces';
import { checkGeneratedIdSupported, checkNewId, checkShortcutTarget, createFile } from './save-file';

/** Default `fields` of methods that return a file. */
export const DEFAULT_FILE_FIELDS = 'kind,id,name,mimeType';

/** files.create with metadata only: a folder, shortcut, Workspace document or empty file. */
export async function create(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, DEFAULT_FILE_FIELDS);
  const input = readMetadata(await readJsonBody(request));
  checkSupportsAllDrives(drive.store, queryOf(request), input.parents);
  if (input.mimeType === SHORTCUT) checkShortcutTarget(drive, input.shortcutTarget);
  const record = await createFile(drive, input);
  response.json(await toResource(drive, record, mask));
}

/** files.update: metadata, trash, parents. */
export async function update(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, DEFAULT_FILE_FIELDS);
  const input = readMetadata(await readJsonBody(request));
  const record = existingFile(drive, fileIdParameter(request));
  await drive.store.update(record, updatedFields(drive, record, input, queryOf(request)));
  response.json(await toResource(drive, record, mask));
}

/** files.copy: content and metadata, by default into the same folder. */
export async function copy(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, DEFAULT_FILE_FIELDS);
  const input = readMetadata(await readJsonBody(request));
  const source = existingFile(drive, fileIdParameter(request));
  checkSupportsAllDrives(drive.store, queryOf(request), input.parents);
  if (isFolder(source))
    throw new ApiError(403, 'cannotCopyFile', 'This file cannot be copiedContent by the user.');
  if (input.id !== undefined) checkCopyId(drive, input.id, source);
  const parent = input.parents ? parentOfNewFile(drive, input.parents) : source.parent;
  const now = drive.clock.now();
  const { mimeType, description, properties, appProperties, originalFilename } = source;
  const { shortcutTarget, shortcutTargetMimeType } = source;
  const copiedContent = source.content && (await drive.content.copy(source.content));
  const record = await drive.store.create({
    ...{ mimeType, description, properties, appProperties, originalFilename, parent },
    ...{ shortcutTarget, shortcutTargetMimeType },
    name: `Copy of ${source.name}`,
    createdTime: now,
    modifiedTime: source.modifiedTime,
    ...toRecordFields(input, source),
    ...(input.id !== undefined && { id: input.id }),
    ...(copiedContent && { content: copiedContent, revision: source.revision }),
  });
  response.json(await toResource(drive, record, mask));
}

/**
 * Copies may have a generated id, except of Workspace documents.
 * https://developers.google.com/workspace/drive/api/guides/create-file#generate_ids_to_use_with_your_files
 */
function checkCopyId(drive: DriveBackend, id: string, source: FileRecord): void {
  checkNewId(drive, id);
  checkGeneratedIdSupported(source.mimeType);
}

/** files.delete: permanently, a folder with all its contents; 204 without a body. */
export async function remove(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const record = existingFile(drive, fileIdParameter(request));
  checkNotTopFolder(drive, record);
  checkRole(drive.store, record, 'organizer');
  await deletePermanently(drive, record);
  response.status(204).end();
}

/** files.emptyTrash: the trash of My Drive or of a shared drive. */
export async function emptyTrash(drive: DriveBackend, request: Request, response: Response): Promise<void> {
  const { store } = drive;
  const driveId = queryOf(request).get('driveId') ?? undefined;
  if (driveId !== undefined && !store.isSharedDrive(driveId)) throw driveNotFound(driveId);
  const trashed = [...store.all()].filter((each) => each.trashed && store.driveIdOf(each) === driveId);
  for (const each of trashed) checkRole(store, each, 'organizer');
  for (const record of trashed) await deletePermanently(drive, record);
  response.status(204).end();
}

async function deletePermanently(drive: DriveBackend, record: FileRecord): Promise<void> {
  const deleted = await drive.store.remove(record);
  for (const { content } of deleted) if (content) await drive.content.remove(content);
}

/** The record fields that an update changes. Starring, trashing and moving don't change modifiedTime. */
export function updatedFields(
  drive: DriveBackend,
  record: FileRecord,
  input: MetadataInput,
  query: URLSearchParams,
): Partial<FileRecord> {
  if (input.parents) {
    const message =
      'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.';
    throw new ApiError(403, 'fieldNotWritable', message);
  }
  checkRole(drive.store, record, input.trashed === undefined ? 'writer' : 'fileOrganizer');
  if (input.trashed) checkNotTopFolder(drive, record);
  checkSpaceUnchanged(drive.store, record, { trashed: input.trashed });
  const changes = toRecordFields(input, record);
  delete changes.createdTime;
  delete changes.shortcutTarget;
  const isModified = ['name', 'mimeType', 'description', 'properties', 'appProperties'].some(
    (each) => each in changes,
  );
  if (isModified) changes.modifiedTime ??= drive.clock.now();
  return { ...changes, parent: parentAfterUpdate(drive, record, query) };
}

function checkNotTopFolder(drive: DriveBackend, record: FileRecord): void {
  if (!drive.store.isTopFolder(record.id)) return;
  const message = 'The user does not have sufficient permissions for this file.';
  throw new ApiError(403, 'insufficientFilePermissions', message);
}

/** The file id in the URL. */
export function fileIdParameter(request: Request): string {
  return String(request.params.fileId);
}
