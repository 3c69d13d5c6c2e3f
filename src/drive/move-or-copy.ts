/**
 * What moving and copying share: finding the source, and applying the conflict policy at the destination.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
import { DriveError, ifFound } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { trash } from './delete';
import { type DriveContext, isUnsupported } from './drive-context';
import { isFolder } from './item-kind';
import { projectFields, withFields } from './fields';
import { getMetadata } from './metadata';
import { shortcutFields } from './shortcuts';
import {
  type ConflictPolicy,
  type ConflictResolution,
  nameLockKey,
  resolveConflict,
} from './conflict-policy';
import type { CreateContext } from './create-folder';
import type { RootFolder } from './root-folder';

export interface CopyRequest {
  id: string;
  /** `''` for the folder it is in. */
  folderId: string;
  /** `''` for its current name. */
  name: string;
  ifExists: ConflictPolicy;
  /** Fields of the resulting file, which always has its id. */
  fields: string;
}

export interface MoveResult {
  /** The moved file, the copy, or if skipped the existing file. */
  file: DriveFile;
  /** True for a copy. */
  created: boolean;
  skipped: boolean;
  /** For a file to be restored: whether it was in the trash. */
  wasTrashed?: boolean;
}

/** Shared by all moves and copies of one account. */
export interface MoveContext extends CreateContext {
  rootFolder: RootFolder;
}

export interface Placement {
  source: DriveFile;
  /** Undefined if the file stays where it is and its folder is unknown, as for files that another user shared. */
  folderId: string | undefined;
  name: string;
}

export interface MoveOperation {
  context: MoveContext;
  request: CopyRequest;
  /** A copy conflicts with its source, a moved file doesn't. */
  isCopy: boolean;
  /** What the result conflicts with; by default files or folders, as the source is one. */
  conflicts?: 'files' | 'folders';
  /** Whether an existing file already is what the operation would replace it with. */
  isSame?: (existing: DriveFile, source: DriveFile) => boolean;
  /** @returns the file with its id */
  perform: (destination: Placement, call: CallOptions) => Promise<DriveFile>;
}

const SOURCE_FIELDS = 'id,name,mimeType,parents,trashed';

/**
 * @throws `not_found`, `invalid_input` for the root, `conflict` as {@link resolveConflict} or for replacing a folder
 */
export async function moveOrCopy(operation: MoveOperation, call: CallOptions): Promise<MoveResult> {
  const { context, request } = operation;
  const { drive, nameLock, rootFolder } = context;
  const budgeted = drive.engine.withRetryBudget(call);
  const fields = withFields(SOURCE_FIELDS, shortcutFields(drive.service));
  const source = await getMetadata(drive, request.id, fields, budgeted).catch((error: unknown) => {
    throw noMovesError(drive, error);
  });
  const mayBeRoot = !source.parents && isFolder(drive.service, source.mimeType);
  if (mayBeRoot && source.id === (await rootFolder.getId(call.signal)))
    throw new DriveError('invalid_input', { text: 'invalid_input_root_moved' });
  const [parent] = source.parents ?? [];
  // A file's parents contain the root's own id, never its alias.
  const rootId = rootFolder.isAlias(request.folderId)
    ? await rootFolder.inferId(source, budgeted)
    : undefined;
  const folderId = rootId ?? (request.folderId || parent);
  const destination = { source, folderId, name: request.name || (source.name ?? '') };
  if (request.ifExists === 'duplicate' || folderId === undefined)
    return moveTo(operation, destination, budgeted);
  const { remaining } = budgeted.budget;
  const work = (): Promise<MoveResult> => {
    // The wait for other calls doesn't spend the budget.
    budgeted.budget.restart(remaining);
    return moveTo(operation, destination, budgeted);
  };
  return nameLock.run(nameLockKey(drive.service, { folderId, name: destination.name }), work, call);
}

async function moveTo(
  operation: MoveOperation,
  destination: Placement,
  call: CallOptions,
): Promise<MoveResult> {
  const { context, request, isCopy, perform } = operation;
  const resolution = await resolve(operation, destination, call);
  const fields = withFields(request.fields, ['id']);
  const { source } = destination;
  const isSame = operation.isSame ?? ((existing, { id }) => existing.id === id);
  if (resolution.action === 'skip' || (resolution.action === 'replace' && isSame(resolution.file, source)))
    return { file: projectFields(resolution.file, fields), created: false, skipped: true };
  const name = resolution.action === 'create' ? resolution.name : destination.name;
  const file = projectFields(await perform({ ...destination, name }, call), fields);
  // The replaced file is trashed last, so that an error leaves it in place. If it is missing, the user must not repeat
  // a move or copy that has succeeded.
  if (resolution.action === 'replace') await ifFound(trash(context.drive, resolution.file.id, call));
  return { file, created: isCopy, skipped: false };
}

/**
 * A custom service may support neither moves nor copies. Its response, which has no reason then, may also mean that the
 * file is missing: the text of the error explains both.
 */
function noMovesError({ service }: DriveContext, error: unknown): unknown {
  if (!isUnsupported(service, 'moves', error)) return error;
  const { status, reason } = error;
  if (status === undefined || reason !== undefined) return error;
  return new DriveError('bad_response', { text: 'bad_response_no_moves', params: { status }, status });
}

async function resolve(
  { context: { drive }, request: { ifExists, fields }, isCopy, conflicts }: MoveOperation,
  { folderId, name, source }: Placement,
  call: CallOptions,
): Promise<ConflictResolution> {
  if (folderId === undefined) return { action: 'create', name };
  const kind = conflicts ?? (isFolder(drive.service, source.mimeType) ? 'folders' : 'files');
  const except = isCopy ? undefined : source.id;
  const resolution = await resolveConflict(drive, { name, folderId, ifExists, fields, kind, except }, call);
  // Replacing a folder would remove everything in it.
  if (resolution.action === 'replace' && kind === 'folders') {
    const params = { name, ids: resolution.file.id };
    throw new DriveError('conflict', { text: 'conflict_folder_there', params });
  }
  return resolution;
}
