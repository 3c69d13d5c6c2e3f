/**
 * Where a file that is there is to be, whether it is moved or copied: decided by what the folder holds.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { trash } from '../api/delete';
import { type DriveContext, isFolder, isUnsupportedRequest } from '../api/drive-context';
import { projectFields, withFields } from '../api/fields';
import {
  type ConflictResolution,
  type ConflictPolicy,
  resolveConflict,
  nameLockKey,
} from './conflict-policy';
import { getMetadata } from '../api/metadata';
import type { IdPool } from '../api/id-pool';
import type { NameLock } from './name-lock';
import type { RootFolder } from './root-folder';

export interface CopyRequest {
  id: string;
  /** Folder id; `''`: it stays where it is. */
  folderId: string;
  /** `''`: it keeps its own. */
  name: string;
  ifExists: ConflictPolicy;
  /** Fields of `file` in the result, which always has its id. */
  fields: string;
}

export interface MoveResult {
  /** The file, or where it was skipped the one that has its name there. */
  file: DriveFile;
  /** A copy was made. */
  created: boolean;
  skipped: boolean;
}

/** What the moves and copies of one account share. */
export interface MoveContext {
  drive: DriveContext;
  idPool: IdPool;
  nameLock: NameLock;
  rootFolder: RootFolder;
}

/** What is to be done with the file once it is decided. */
export interface Destination {
  source: DriveFile;
  /** Undefined where the file stays and isn't known to be in any folder: one that somebody shared. */
  folderId: string | undefined;
  name: string;
}

const SOURCE_FIELDS = 'id,name,mimeType,parents,trashed';

export interface MoveOperation {
  context: MoveContext;
  request: CopyRequest;
  /** A copy is in the way of its own source; a file that moves never is in its own. */
  isCopy: boolean;
  /** Does it, and gives the file with its id. */
  put: (target: Destination) => Promise<DriveFile>;
}

/** @throws `not_found`, `invalid_input` for the root, `conflict` as {@link resolveConflict} or where a folder would be replaced */
export async function moveOrCopy(relocating: MoveOperation, call: CallOptions): Promise<MoveResult> {
  const { context, request } = relocating;
  const { drive, nameLock, rootFolder } = context;
  const source = await getMetadata(drive, request.id, SOURCE_FIELDS, call).catch((error: unknown) => {
    throw withoutMoves(drive, error);
  });
  const mayBeRoot = !source.parents && isFolder(drive.service, source.mimeType);
  if (mayBeRoot && source.id === (await rootFolder.getId(call.signal)))
    throw new DriveError('invalid_input', { text: 'invalid_input_root_moved' });
  const [parent] = source.parents ?? [];
  // Where it already is can only be told by the root's own id.
  const rootId = rootFolder.isAlias(request.folderId) ? await rootFolder.inferId(source, call) : undefined;
  const folderId = rootId ?? (request.folderId || parent);
  const target = { source, folderId, name: request.name || (source.name ?? '') };
  const work = (): Promise<MoveResult> => carryOut(relocating, target, call);
  if (request.ifExists === 'duplicate' || folderId === undefined) return work();
  return nameLock.run(nameLockKey(drive.service, { folderId, name: target.name }), work, call.signal);
}

async function carryOut(
  relocating: MoveOperation,
  target: Destination,
  call: CallOptions,
): Promise<MoveResult> {
  const { context, request, isCopy, put } = relocating;
  const decision = await decisionFor(relocating, target, call);
  const { action } = decision;
  const fields = withFields(request.fields, ['id']);
  const isItself = action === 'replace' && decision.file.id === target.source.id;
  if (action === 'skip' || isItself)
    return { file: projectFields(decision.file, fields), created: false, skipped: true };
  const name = action === 'create' ? decision.name : target.name;
  const file = projectFields(await put({ ...target, name }), fields);
  // Not before the new one is there. Somebody may want the other one back.
  if (action === 'replace') await outOfTheWay(context.drive, decision.file.id, call);
  return { file, created: isCopy, skipped: false };
}

/** Somebody else may have been faster: whoever were told of that would do it again, and have two copies. */
async function outOfTheWay(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  try {
    await trash(drive, id, call);
  } catch (error) {
    if (!isDriveError(error, 'not_found')) throw error;
  }
}

/** A custom service need know none of this: where no reason is given, nothing tells a missing file from a service that can't. */
function withoutMoves({ service }: DriveContext, error: unknown): unknown {
  if (service.kind === 'google' || !isDriveError(error)) return error;
  const { status, reason } = error;
  if (status === undefined || reason !== undefined || !isUnsupportedRequest(error)) return error;
  return new DriveError('bad_response', { text: 'bad_response_no_moves', params: { status }, status });
}

async function decisionFor(
  { context: { drive }, request, isCopy }: MoveOperation,
  target: Destination,
  call: CallOptions,
): Promise<ConflictResolution> {
  const { folderId, name, source } = target;
  const { ifExists, fields } = request;
  if (folderId === undefined) return { action: 'create', name };
  const kind = isFolder(drive.service, source.mimeType) ? 'folders' : 'files';
  const except = isCopy ? {} : { except: source.id };
  const decision = await resolveConflict(drive, { name, folderId, ifExists, fields, kind, ...except }, call);
  // With it everything in it would go.
  if (decision.action === 'replace' && kind === 'folders') {
    const params = { name, ids: decision.file.id };
    throw new DriveError('conflict', { text: 'conflict_folder_there', params });
  }
  return decision;
}
