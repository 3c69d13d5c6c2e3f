import type { Request, Response } from 'express';
import { ApiError, driveNotFound, invalidValue } from '../service/api-error';
import { readJsonObject } from '../service/body';
import { queryOf } from '../service/parameters';
import { isFolder, isNative, type FileRecord } from '../metadata/file-record';
import { existingFile, requestedMask, type DriveContext } from './drive';
import { readMetadata, recordFields, type MetadataInput } from './metadata-input';
import { parentAfter, parentForNew } from './parents';
import { toResource } from './resource';
import { FILE } from './schemas';
import { checkKnown, checkRole } from './shared-drives';
import { checkStays } from './spaces';
import { checkId, createFile } from './write';

/** Default fields of every answer that is one file. */
export const FILE_DEFAULTS = 'kind,id,name,mimeType';

/** POST /drive/v3/files: metadata only, so a folder, a shortcut, a native document or an empty file. */
export async function create(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, FILE_DEFAULTS);
  const input = readMetadata(await readJsonObject(request));
  checkKnown(drive.store, queryOf(request), input.parents);
  const record = await createFile(drive, input);
  response.json(await toResource(drive, record, mask));
}

/** PATCH /drive/v3/files/ID: metadata, trash, parents. */
export async function update(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, FILE_DEFAULTS);
  const input = readMetadata(await readJsonObject(request));
  const record = existingFile(drive, fileIdOf(request));
  await drive.store.update(record, changesOf(drive, record, input, queryOf(request)));
  response.json(await toResource(drive, record, mask));
}

/** POST /drive/v3/files/ID/copy: content and metadata, into the same folder unless the body says otherwise. */
export async function copy(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const mask = requestedMask(request, FILE, FILE_DEFAULTS);
  const input = readMetadata(await readJsonObject(request));
  const source = existingFile(drive, fileIdOf(request));
  checkKnown(drive.store, queryOf(request), input.parents);
  if (isFolder(source)) throw new ApiError(403, 'cannotCopyFile', 'This file cannot be copied by the user.');
  if (input.id !== undefined) checkCopyId(drive, input.id, source);
  const parent = input.parents ? parentForNew(drive, input.parents) : source.parent;
  const now = drive.clock.now();
  const { mimeType, description, properties, appProperties, shortcutTarget, originalFilename } = source;
  const copied = source.content && (await drive.content.copy(source.content));
  const record = await drive.store.create({
    ...{ mimeType, description, properties, appProperties, shortcutTarget, originalFilename, parent },
    name: `Copy of ${source.name}`,
    createdTime: now,
    modifiedTime: source.modifiedTime,
    ...recordFields(input, source),
    ...(input.id !== undefined && { id: input.id }),
    ...(copied && { content: copied, revision: source.revision }),
  });
  response.json(await toResource(drive, record, mask));
}

/** An id from generateIds; native documents take none: guides/create-file#generate_ids_to_use_with_your_files. */
function checkCopyId(drive: DriveContext, id: string, source: FileRecord): void {
  checkId(drive, id);
  if (isNative(source.mimeType)) throw invalidValue('id', 'Generated IDs are not supported for this type.');
}

/** DELETE /drive/v3/files/ID: for ever, a folder with everything in it; 204 without a body. */
export async function remove(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const record = existingFile(drive, fileIdOf(request));
  checkNotRoot(drive, record);
  checkRole(drive.store, record, 'organizer');
  await removeRecord(drive, record);
  response.status(204).end();
}

/** DELETE /drive/v3/files/trash: empties My Drive's trash, or that of a shared drive. */
export async function emptyTrash(drive: DriveContext, request: Request, response: Response): Promise<void> {
  const { store } = drive;
  const driveId = queryOf(request).get('driveId') ?? undefined;
  if (driveId !== undefined && !store.isSharedDrive(driveId)) throw driveNotFound(driveId);
  const trashed = [...store.all()].filter((each) => each.trashed && store.driveOf(each) === driveId);
  for (const each of trashed) checkRole(store, each, 'organizer');
  for (const record of trashed) await removeRecord(drive, record);
  response.status(204).end();
}

async function removeRecord(drive: DriveContext, record: FileRecord): Promise<void> {
  const gone = await drive.store.remove(record);
  for (const { content } of gone) if (content) await drive.content.remove(content);
}

/** What an update changes in a record. New names, types and texts are a modification; stars and moves are not. */
export function changesOf(
  drive: DriveContext,
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
  if (input.trashed) checkNotRoot(drive, record);
  checkStays(drive.store, record, { trashed: input.trashed });
  const changes = recordFields(input, record);
  delete changes.createdTime;
  delete changes.shortcutTarget;
  const modified = ['name', 'mimeType', 'description', 'properties', 'appProperties'].some(
    (each) => each in changes,
  );
  if (modified) changes.modifiedTime ??= drive.clock.now();
  return { ...changes, parent: parentAfter(drive, record, query) };
}

function checkNotRoot(drive: DriveContext, record: FileRecord): void {
  if (!drive.store.isTop(record.id)) return;
  const message = 'The user does not have sufficient permissions for this file.';
  throw new ApiError(403, 'insufficientFilePermissions', message);
}

/** The file id of an address. */
export function fileIdOf(request: Request): string {
  return String(request.params.fileId);
}
