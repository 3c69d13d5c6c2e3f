/**
 * Folders: a file of the folder media type, without content.
 * https://developers.google.com/workspace/drive/api/guides/folder
 */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, folderMimeType, parentsFor, rootId } from '../api/drive-context';
import { projectFields, withFields } from '../api/fields';
import { ambiguousName, toNFC, findByName } from './find-by-name';
import { createWithoutContent } from '../api/idempotent-create';
import { CREATED_TIME, keepOldest, areConcurrent } from './resolve-duplicate-folder';
import type { IdPool } from '../api/id-pool';
import type { NameLock } from './name-lock';

export interface CreateFolderRequest {
  name: string;
  /** `''`: the root. */
  folderId: string;
  fields: string;
}

export interface CreateFolderResult {
  folder: DriveFile;
  created: boolean;
}

/** What the makers of an account's folders share. */
export interface CreateContext {
  drive: DriveContext;
  idPool: IdPool;
  nameLock: NameLock;
}

/**
 * Of several calls at once for one name in one place the first makes the folder and the others find it.
 * @returns the folder of that name in that place; made where there is none
 * @throws `conflict` listing the ids where there are several
 */
export function createFolder(
  context: CreateContext,
  folder: CreateFolderRequest,
  call: CallOptions,
): Promise<CreateFolderResult> {
  const { drive, nameLock } = context;
  const place = { folderId: folder.folderId || rootId(drive.service), name: toNFC(folder.name) };
  const onWait = (ms: number): void => {
    if (!call.signal?.aborted) call.onWait?.(ms);
  };
  const locked = (signal: AbortSignal): Promise<CreateFolderResult> =>
    foundOrMade(context, folder, drive.engine.withRetryBudget({ ...call, signal, onWait }));
  return nameLock.run(place, locked, call.signal);
}

/** Two that came to be at the same moment are mostly one a moment later. */
const MOST_LOOKS = 4;

async function foundOrMade(
  context: CreateContext,
  folder: CreateFolderRequest,
  call: CallOptions,
): Promise<CreateFolderResult> {
  const { drive } = context;
  const { name, folderId, fields } = folder;
  const only = await findFolder(drive, folder, call);
  if (only) return { folder: projectFields(only, fields), created: false };
  const made = await createNewFolder(context, folder, call);
  if (drive.service.kind === 'custom') return { folder: made, created: true };
  // Also where nobody waits for it any longer: of two that stayed, no path could tell which is meant.
  const { signal: _signal, budget: _budget, ...unending } = call;
  const first = await keepOldest(drive, { created: made, name, folderId, fields }, unending);
  return { folder: projectFields(first, fields), created: first.id === made.id };
}

/**
 * @returns the folder of that name in that place, undefined where there is none
 * @throws `conflict` listing the ids where there are several, and not only for a moment
 */
export function findFolder(
  drive: DriveContext,
  { name, folderId, fields }: CreateFolderRequest,
  call: CallOptions,
): Promise<DriveFile | undefined> {
  // Only at Google is one of two taken back; a custom service needn't know the field.
  const asked = drive.service.kind === 'custom' ? fields : withFields(fields, CREATED_TIME);
  const wanted = { names: [name], folderId, kind: 'folders', fields: asked } as const;
  let looks = 0;
  return drive.engine.retry(async (budgeted) => {
    const found = await findByName(drive, wanted, budgeted);
    if (found.length <= 1) return found[0];
    const { code, text, params } = ambiguousName(name, found);
    throw new DriveError(code, { text, params, retryable: areConcurrent(found) && ++looks < MOST_LOOKS });
  }, call);
}

async function createNewFolder(
  { drive, idPool }: CreateContext,
  { name, folderId, fields }: CreateFolderRequest,
  call: CallOptions,
): Promise<DriveFile> {
  const { service } = drive;
  const url = `${service.baseUrl}/drive/v3/files`;
  const id = await idPool.next(call);
  const resource = { name, mimeType: folderMimeType(service), ...parentsFor(service, folderId) };
  return createWithoutContent(drive, { url, id, resource, fields }, call);
}
