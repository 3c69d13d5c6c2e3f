/**
 * Creates folders: files with the folder MIME type and without content. If several clients create the same name at the
 * same time, which the service allows, one folder is kept.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { DriveError, isDriveError, ifFound } from '../errors';
import type { CallOptions, DriveFile, NameInFolder, Service } from '../types';
import { type DriveContext, filesUrl, isUnsupported, parentsFor, rootId } from './drive-context';
import { folderMimeType, isFolder } from './mime-types';
import { projectFields, withFields } from './fields';
import { type IdPool, createWithoutContent } from './idempotent-create';
import { followShortcut, shortcutFields, targetOf } from './shortcuts';
import { ambiguousName, findFolders } from './find-by-name';
import type { NameLock } from './name-lock';
import { toNFC, nameKey } from './query';
import { uncancelled } from '../http/retry';
import { isDeepStrictEqual } from 'node:util';
import { getMetadataIfSupported } from './metadata';
import { trash, untrash } from './delete';
import { hasChildren } from './list';

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

/** The fields that {@link rememberFolder} needs. */
const KNOWN_FOLDER_FIELDS = ['parents'];

/**
 * Remembers a folder by its name. Lists may lack it for a while: creating it again would make its path ambiguous for good.
 * @param knownFolders of the context before the folder was looked up: another user may have signed in since.
 * @param folder or a shortcut to one, as it was found under that name
 */
function rememberFolder(
  knownFolders: DriveContext['knownFolders'],
  name: NameInFolder,
  { id, parents }: DriveFile,
): void {
  knownFolders.set(nameKey(name), { id, ...(parents && { parents }) });
}

/** @returns undefined if no folder of that name is known, or if it was moved, renamed or removed since */
async function findKnownFolder(
  drive: DriveContext,
  name: NameInFolder,
  fields: string,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  const known = drive.knownFolders.get(nameKey(name));
  if (!known) return undefined;
  const required = withFields(fields, ['name', 'trashed', ...KNOWN_FOLDER_FIELDS]);
  const file = await ifFound(getMetadataIfSupported(drive, known.id, required, call));
  if (!file || file.trashed === true || toNFC(file.name ?? '') !== toNFC(name.name)) return undefined;
  const { parents = known.parents } = file;
  return known.parents && !isDeepStrictEqual(parents, known.parents) ? undefined : file;
}

/** ms between the creation times of folders that were created concurrently. */
const CONCURRENT_WITHIN = 10_000;

/** Whether the folders were created at about the same time, so that a client may be about to remove one. */
function areConcurrent(folders: readonly DriveFile[]): boolean {
  let [first, last] = [Infinity, -Infinity];
  for (const time of folders.map(creationTime)) [first, last] = [Math.min(first, time), Math.max(last, time)];
  return last - first < CONCURRENT_WITHIN;
}

interface CreatedFolder extends NameInFolder {
  created: DriveFile;
  fields: string;
}

/**
 * After creating a folder, each client checks: the oldest one stays, and the others move theirs to the trash.
 * @returns the folder that stays: the created one, or an older one. Without creation times it is the created one.
 * @throws `conflict` if the created folder can't be removed: it has content, or the service has no trash
 */
async function keepOldest(
  drive: DriveContext,
  { created, ...request }: CreatedFolder,
  call: CallOptions,
): Promise<DriveFile> {
  const found = await findFolders(drive, request, call);
  const [oldest = created] = [...found].sort(oldestFirst);
  const isOldest = oldest.id === created.id || !found.some(({ id }) => id === created.id);
  if (isOldest || found.some((folder) => Number.isNaN(creationTime(folder)))) return created;
  if (!(await removeEmpty(drive, created.id, call))) throw ambiguousName(request.name, found);
  return oldest;
}

/** @returns false if the folder stays */
async function removeEmpty(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  if (await hasChildren(drive, id, call)) return false;
  try {
    await trash(drive, id, call);
  } catch (error) {
    if (isDriveError(error) && error.text === 'bad_response_no_trash') return false;
    throw error;
  }
  if (!(await hasChildren(drive, id, call))) return true;
  // Another client has put a file into it between the check and the removal.
  await untrash(drive, id, call);
  return false;
}

/** All clients must keep the same one of several items, so items of the same time need an order, too. */
export function oldestFirst(a: DriveFile, b: DriveFile): number {
  return (creationTime(a) || 0) - (creationTime(b) || 0) || (a.id < b.id ? -1 : 1);
}

/** @returns NaN without a creation time */
function creationTime({ createdTime = '' }: DriveFile): number {
  return Date.parse(createdTime);
}
