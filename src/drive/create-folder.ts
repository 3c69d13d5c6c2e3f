/**
 * Creates folders: files with the folder MIME type and without content.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, DriveFile, NameInFolder, Service } from '../types';
import { type DriveContext, filesUrl, isUnsupported, parentsFor, rootId } from './drive-context';
import { folderMimeType, isFolder } from './item-kind';
import { projectFields, withFields } from './fields';
import type { IdPool } from './id-pool';
import { createWithoutContent } from './idempotent-create';
import { followShortcut, shortcutFields, targetOf } from './shortcuts';
import { ambiguousName } from './ambiguous-name';
import type { NameLock } from './name-lock';
import { toNFC } from './name-query';
import { findFolders } from './find-folders';
import { uncancelled } from '../http/retry';
import { KNOWN_FOLDER_FIELDS, findKnownFolder, rememberFolder } from './known-folder';
import { areConcurrent, keepOldest } from './resolve-duplicate-folder';

/** `folderId` is `''` for the root. */
export interface CreateFolderRequest extends NameInFolder {
  fields: string;
  /** That the folder is a part of: then a file of the same name is a conflict. */
  path?: string | undefined;
  /** The folder to create it in was found, so a refusal isn't about that one. */
  isParentKnown?: boolean;
}

export interface CreateFolderResult {
  folder: DriveFile;
  created: boolean;
}

/** Shared by all calls of one account that create files. */
export interface CreateContext {
  drive: DriveContext;
  idPool: IdPool;
  nameLock: NameLock;
}

/**
 * Finds the folder of a name, or creates it. Of concurrent calls for the same name, the first creates it and the others
 * find it.
 * @throws `conflict` listing the ids of several folders with that name, or for a file on the path
 */
export function createFolder(
  context: CreateContext,
  request: CreateFolderRequest,
  call: CallOptions,
): Promise<CreateFolderResult> {
  const { drive, nameLock } = context;
  const key = { folderId: request.folderId || rootId(drive.service), name: toNFC(request.name) };
  const work = (shared: CallOptions): Promise<CreateFolderResult> =>
    findOrCreate(context, request, drive.engine.withRetryBudget(shared));
  return nameLock.run(key, work, call);
}

async function findOrCreate(
  context: CreateContext,
  request: CreateFolderRequest,
  call: CallOptions,
): Promise<CreateFolderResult> {
  const { drive } = context;
  const { knownFolders } = drive;
  const existing = (await findFolder(drive, request, call)) ?? (await lookUpKnown(drive, request, call));
  if (existing) return { folder: projectFields(existing, request.fields), created: false };
  const fields = withFields(request.fields, KNOWN_FOLDER_FIELDS);
  const created = await createNewFolder(context, { ...request, fields }, call);
  // Not cancelled with the call: if two folders remained, the path would be ambiguous.
  const oldest = await keepOldest(drive, { ...request, fields, created }, uncancelled(call));
  rememberFolder(knownFolders, request, oldest);
  return { folder: projectFields(oldest, request.fields), created: oldest.id === created.id };
}

/** @returns the folder of that name that was found or created earlier, if a list lacks it only by mistake */
async function lookUpKnown(
  drive: DriveContext,
  request: CreateFolderRequest,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  const fields = withFields(request.fields, shortcutFields(drive.service));
  const known = await findKnownFolder(drive, request, fields, call);
  return known && followShortcut(drive, known, request.fields, call);
}

/** Duplicates of concurrent creations are usually resolved by the next attempt. */
const MAX_ATTEMPTS = 4;

/**
 * A shortcut to a folder stands for it, unless there is a folder of that name.
 * @returns the folder of that name, undefined if there is none
 * @throws `not_found` for a shortcut to a folder that doesn't exist; `conflict` listing the ids of several folders that
 *   weren't created at the same time, or for a file in place of a folder of the path
 */
export function findFolder(
  drive: DriveContext,
  request: CreateFolderRequest,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  const { service, knownFolders } = drive;
  const { name, path } = request;
  const query = {
    ...request,
    fields: withFields(request.fields, [...shortcutFields(service), ...KNOWN_FOLDER_FIELDS]),
    withShortcuts: true,
    withFiles: path !== undefined,
  };
  let attempts = 0;
  return drive.engine.retry(async (budgeted) => {
    const items = await findFolders(drive, query, budgeted);
    const found = foldersOrShortcuts(service, items);
    if (found.length === 0 && items.length > 0 && path !== undefined) throw fileOnPath(name, path);
    const [only] = found;
    if (only && found.length === 1) rememberFolder(knownFolders, request, only);
    if (!only || found.length === 1) return only && followShortcut(drive, only, request.fields, budgeted);
    throw ambiguousName(name, found, areConcurrent(found) && ++attempts < MAX_ATTEMPTS);
  }, call);
}

function fileOnPath(name: string, path: string): DriveError {
  return new DriveError('conflict', { text: 'conflict_path_file', params: { name, path } });
}

/** @returns the folders; if there are none, one shortcut to each folder that shortcuts lead to */
function foldersOrShortcuts(service: Service, found: readonly DriveFile[]): DriveFile[] {
  const folders = found.filter((file) => isFolder(service, file.mimeType));
  if (folders.length > 0) return folders;
  const byTarget = new Map<string, DriveFile>();
  for (const file of found) {
    const target = targetOf(file);
    if (target && isFolder(service, target.mimeType)) byTarget.set(target.id, file);
  }
  return [...byTarget.values()];
}

/** Creates a folder without looking for one of that name. @throws `bad_response` if a custom service can't */
export async function createNewFolder(
  { drive, idPool }: Pick<CreateContext, 'drive' | 'idPool'>,
  { name, folderId, fields, isParentKnown = false }: CreateFolderRequest,
  call: CallOptions,
): Promise<DriveFile> {
  const { service } = drive;
  const id = await idPool.next(call);
  const resource = { name, mimeType: folderMimeType(service), ...parentsFor(service, folderId) };
  try {
    return await createWithoutContent(drive, { url: filesUrl(service), id, resource, fields }, call);
  } catch (error) {
    // With a reason, it is more likely about this folder or the one that it belongs to.
    const hasReason = isDriveError(error) && error.reason !== undefined;
    throw hasReason && !isParentKnown ? error : noFoldersError(service, name, error);
  }
}

/** @returns the error itself, unless a custom service may be unable to create folders */
export function noFoldersError(service: Service, name: string, error: unknown): unknown {
  if (!isUnsupported(service, 'folders', error)) return error;
  const { status = 0, reason } = error;
  return new DriveError('bad_response', {
    text: 'bad_response_no_folders',
    params: { name, status },
    ...{ status, reason },
  });
}
