/**
 * Moving and renaming, and taking out of the trash.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import { DriveError, isDriveError } from '../errors';
import type { QueryValues } from '../http/url';
import { mayHaveBeenProcessed } from '../http/retry';
import type { CallOptions, DriveFile } from '../types';
import { type DriveContext, fileUrl, sharedDriveParams } from '../api/drive-context';
import { validateFile, withFields } from '../api/fields';
import {
  type MoveResult,
  type CopyRequest,
  type MoveContext,
  type Destination,
  moveOrCopy,
} from './move-or-copy';

export interface MoveRequest extends CopyRequest {
  /** Takes it out of the trash, wherever it is to be then. */
  restore: boolean;
}

/**
 * @returns the file, which keeps its id
 * @throws as {@link moveOrCopy}; `conflict` where what is restored stays in the trash with its folder
 */
export async function move(
  context: MoveContext,
  request: MoveRequest,
  call: CallOptions,
): Promise<MoveResult> {
  const put = async (target: Destination): Promise<DriveFile> => {
    const file = await update(context.drive, { ...request, target }, call);
    if (request.restore && file.trashed === true)
      throw new DriveError('conflict', { text: 'conflict_folder_trashed', params: { name: target.name } });
    return file;
  };
  return moveOrCopy({ context, request, isCopy: false, put }, call);
}

/** Where the answer to an earlier try was lost, the file is asked where it is now. */
async function update(
  { engine, service }: DriveContext,
  { target, fields, restore }: MoveRequest & { target: Destination },
  call: CallOptions,
): Promise<DriveFile> {
  const { source, folderId, name } = target;
  const url = fileUrl(service, source.id);
  const shared = sharedDriveParams(service);
  let parents = source.parents;
  let isUnsure = false;
  return engine.retry(async () => {
    if (isUnsure) {
      const now = await engine.requestJsonOnce(
        { method: 'GET', url, query: { fields: 'id,parents', ...shared } },
        call,
      );
      ({ parents } = validateFile(now));
      isUnsure = false;
    }
    const answer = engine.requestJsonOnce(
      {
        method: 'PATCH',
        url,
        query: { fields: withFields(fields, ['id', 'trashed']), ...moving(parents, folderId), ...shared },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          ...(name === source.name ? {} : { name }),
          ...(restore ? { trashed: false } : {}),
        }),
      },
      call,
    );
    return validateFile(
      await answer.catch((error: unknown) => {
        isUnsure = isDriveError(error) && mayHaveBeenProcessed(error);
        throw error;
      }),
    );
  }, call);
}

/** A file has one parent: out of the one and into the other at once. */
function moving(parents: string[] = [], folderId: string | undefined): QueryValues {
  if (folderId === undefined || parents.includes(folderId)) return {};
  return {
    addParents: folderId,
    ...(parents.length > 0 ? { removeParents: parents.join(',') } : {}),
  };
}
