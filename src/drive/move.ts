/**
 * Moves, renames, and restores from the trash.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import { DriveError, isDriveError } from '../errors';
import type { JsonObject } from '../core/validator';
import { jsonBody } from '../http/json';
import type { QueryValues } from '../http/url';
import { mayHaveBeenProcessed } from '../http/retry';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, fileUrl, sharedDriveParams } from './drive-context';
import { validateFile, withFields } from './fields';
import { withOptionalFields } from './optional-fields';
import {
  type CopyRequest,
  type Placement,
  type MoveContext,
  type MoveResult,
  moveOrCopy,
} from './move-or-copy';

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
    const file = await update(context.drive, { ...request, destination }, budgeted);
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
async function update(
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
