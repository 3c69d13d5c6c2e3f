/**
 * Moves, renames, copies, shortcuts, and restoring from the trash. They find the source and apply the conflict policy at
 * the destination in the same way.
 * https://developers.google.com/workspace/drive/api/guides/folder#move-files
 */
import { DriveError, ifFound, isDriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { trash } from './delete';
import {
  type DriveContext,
  isUnsupported,
  fileUrl,
  sharedDriveParams,
  filesUrl,
  requireCapability,
  rootId,
} from './drive-context';
import { isFolder, itemKind } from './mime-types';
import { projectFields, withFields, validateFile, withOptionalFields } from './fields';
import { getMetadata } from './metadata';
import { shortcutFields, SHORTCUT_TYPE, targetOf } from './shortcuts';
import {
  type ConflictPolicy,
  type ConflictResolution,
  nameLockKey,
  resolveConflict,
} from './conflict-policy';
import type { CreateContext } from './create-folder';
import type { RootFolder } from './root-folder';
import type { JsonObject } from '../core/validator';
import { jsonBody } from '../http/json';
import type { QueryValues } from '../http/url';
import { mayHaveBeenProcessed } from '../http/retry';
import { createWithoutContent } from './idempotent-create';

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

interface Placement {
  source: DriveFile;
  /** Undefined if the file stays where it is and its folder is unknown, as for files that another user shared. */
  folderId: string | undefined;
  name: string;
}

interface MoveOperation {
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
async function moveOrCopy(operation: MoveOperation, call: CallOptions): Promise<MoveResult> {
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
  const resolution = await resolveDestination(operation, destination, call);
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

async function resolveDestination(
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

export interface MoveRequest extends CopyRequest {
  /** Also takes the file out of the trash. */
  restore: boolean;
}

/**
 * Moves a file, which keeps its id.
 * @throws as {@link moveOrCopy}; `conflict` if a restored file stays in the trash because its folder is there;
 *   `invalid_input` for a folder that would be moved into itself
 */
export async function move(
  context: MoveContext,
  request: MoveRequest,
  call: CallOptions,
): Promise<MoveResult> {
  if (request.folderId === request.id) throw new DriveError('invalid_input', { text: 'invalid_input_cycle' });
  let wasTrashed = true;
  const perform = async (destination: Placement, budgeted: CallOptions): Promise<DriveFile> => {
    wasTrashed = destination.source.trashed !== false;
    const file = await updateParent(context.drive, { ...request, destination }, budgeted);
    if (request.restore && file.trashed === true)
      throw new DriveError('conflict', {
        text: 'conflict_folder_trashed',
        params: { name: destination.name },
      });
    return file;
  };
  const result = await moveOrCopy({ context, request, isCopy: false, perform }, call);
  return request.restore ? { ...result, wasTrashed } : result;
}

/** If a response was lost, reads the file's current parents before the next attempt. */
async function updateParent(
  drive: DriveContext,
  { destination, fields, restore }: MoveRequest & { destination: Placement },
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const { source, folderId, name } = destination;
  const url = fileUrl(service, source.id);
  const params = sharedDriveParams(service);
  const changes = { name: name === source.name ? undefined : name, trashed: restore ? false : undefined };
  let { parents } = source;
  let areParentsStale = false;
  return engine.retry(async (budgeted) => {
    if (areParentsStale) {
      const query = { fields: 'id,parents', ...params };
      ({ parents } = validateFile(
        await engine.requestJsonWithoutRetry({ method: 'GET', url, query }, budgeted),
      ));
      areParentsStale = false;
    }
    const query = { ...parentChanges(parents, folderId), ...params };
    const patch = (known: string): Promise<JsonObject> => {
      const request = { method: 'PATCH', url, query: { ...query, fields: known } } as const;
      return engine.requestJsonWithoutRetry({ ...request, ...jsonBody(changes) }, budgeted);
    };
    const required = withFields(fields, ['id', 'trashed']);
    const response = await withOptionalFields(drive, required, patch).catch((error: unknown) => {
      areParentsStale = isDriveError(error) && mayHaveBeenProcessed(error);
      throw error;
    });
    return validateFile(response);
  }, call);
}

/** A file has one parent, so both changes are made in one request. */
function parentChanges(parents: string[] = [], folderId: string | undefined): QueryValues {
  if (folderId === undefined || parents.includes(folderId)) return {};
  return { addParents: folderId, removeParents: parents.join(',') || undefined };
}

/** @throws as {@link moveOrCopy}; `invalid_input` for a folder, which the service can't copy */
export function copy(context: MoveContext, request: CopyRequest, call: CallOptions): Promise<MoveResult> {
  const { drive, idPool } = context;
  const perform = async (destination: Placement, budgeted: CallOptions): Promise<DriveFile> => {
    const { source, folderId, name } = destination;
    const kind = itemKind(drive.service, source.mimeType);
    if (kind === 'folder') throw new DriveError('invalid_input', { text: 'invalid_input_folder_copied' });
    // The service assigns the ids of documents.
    const id = kind === 'file' ? await idPool.next(budgeted) : undefined;
    const url = `${fileUrl(drive.service, source.id)}/copy`;
    const resource = { name, parents: folderId === undefined ? undefined : [folderId] };
    const fields = withFields(request.fields, ['id']);
    return createWithoutContent(drive, { url, id, resource, fields }, budgeted);
  };
  return moveOrCopy({ context, request, isCopy: true, perform }, call);
}

/**
 * @param request `folderId` is `''` for the root. A shortcut to a shortcut becomes one to its target
 * @throws as {@link moveOrCopy}; `invalid_input` at a custom service
 */
export function createShortcut(
  context: MoveContext,
  request: CopyRequest,
  call: CallOptions,
): Promise<MoveResult> {
  const { drive } = context;
  requireCapability(drive.service, 'shortcuts', 'shortcut');
  const perform = (destination: Placement, budgeted: CallOptions): Promise<DriveFile> => {
    const { source, folderId, name } = destination;
    const parents = folderId === undefined ? undefined : [folderId];
    const shortcutDetails = { targetId: targetIdOf(source) };
    const resource = { name, mimeType: SHORTCUT_TYPE, parents, shortcutDetails };
    const fields = withFields(request.fields, ['id']);
    // The service accepts no generated ids for shortcuts.
    return createWithoutContent(
      drive,
      { url: filesUrl(drive.service), id: undefined, resource, fields },
      budgeted,
    );
  };
  const folderId = request.folderId || rootId(drive.service);
  const operation = {
    context,
    request: { ...request, folderId },
    isCopy: true,
    conflicts: 'files',
    perform,
  } as const;
  return moveOrCopy({ ...operation, isSame: leadsToSameFile }, call);
}

function targetIdOf(source: DriveFile): string {
  return targetOf(source)?.id ?? source.id;
}

function leadsToSameFile(existing: DriveFile, source: DriveFile): boolean {
  return targetOf(existing)?.id === targetIdOf(source);
}
