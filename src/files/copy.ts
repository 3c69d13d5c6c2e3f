/**
 * Copies, which the service makes by itself: no content goes over the line.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy
 */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { fileUrl, isFolder } from '../api/drive-context';
import { withFields } from '../api/fields';
import { createWithoutContent } from '../api/idempotent-create';
import {
  type MoveResult,
  type CopyRequest,
  type MoveContext,
  type Destination,
  moveOrCopy,
} from './move-or-copy';

/** Documents of the service's own editors can't be made under an id of our own. */
const NATIVE = /^application\/vnd\.[^/]+-apps\./;

/** @throws as {@link moveOrCopy}; `invalid_input` for a folder, which no service copies */
export function copy(context: MoveContext, request: CopyRequest, call: CallOptions): Promise<MoveResult> {
  const put = (target: Destination): Promise<DriveFile> => {
    if (isFolder(context.drive.service, target.source.mimeType))
      throw new DriveError('invalid_input', { text: 'invalid_input_folder_copied' });
    return copied(context, { target, fields: withFields(request.fields, ['id']) }, call);
  };
  return moveOrCopy({ context, request, isCopy: true, put }, call);
}

async function copied(
  { drive, idPool }: MoveContext,
  { target, fields }: { target: Destination; fields: string },
  call: CallOptions,
): Promise<DriveFile> {
  const { source, folderId, name } = target;
  const id = NATIVE.test(source.mimeType ?? '') ? undefined : await idPool.next(call);
  const url = `${fileUrl(drive.service, source.id)}/copy`;
  const resource = { name, ...(folderId === undefined ? {} : { parents: [folderId] }) };
  return createWithoutContent(drive, { url, id, resource, fields }, call);
}
