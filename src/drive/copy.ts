/**
 * Copies files on the service, without transferring content.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy
 */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { fileUrl } from './drive-context';
import { itemKind } from './item-kind';
import { withFields } from './fields';
import { createWithoutContent } from './idempotent-create';
import {
  type CopyRequest,
  type Placement,
  type MoveContext,
  type MoveResult,
  moveOrCopy,
} from './move-or-copy';

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
