/**
 * Copies, which the service makes by itself: no content goes over the line.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy
 */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { fileUrl, isFolder } from '../api/drive-context';
import { withFields } from '../api/fields';
import { madeWithoutContent } from '../api/idempotent-create';
import { type Relocated, type Relocation, type RelocationContext, type Target, relocate } from './relocate';

/** Documents of the service's own editors can't be made under an id of our own. */
const NATIVE = /^application\/vnd\.[^/]+-apps\./;

/** @throws as {@link relocate}; `invalid_input` for a folder, which no service copies */
export function copy(context: RelocationContext, request: Relocation, call: CallOptions): Promise<Relocated> {
  const put = (target: Target): Promise<DriveFile> => {
    if (isFolder(context.drive.service, target.source.mimeType))
      throw new DriveError('invalid_input', { text: 'invalid_input_folder_copied' });
    return copied(context, { target, fields: withFields(request.fields, ['id']) }, call);
  };
  return relocate({ context, request, isCopy: true, put }, call);
}

async function copied(
  { drive, newIds }: RelocationContext,
  { target, fields }: { target: Target; fields: string },
  call: CallOptions,
): Promise<DriveFile> {
  const { source, folderId, name } = target;
  const id = NATIVE.test(source.mimeType ?? '') ? undefined : await newIds.next(call);
  const url = `${fileUrl(drive.service, source.id)}/copy`;
  const resource = { name, ...(folderId === undefined ? {} : { parents: [folderId] }) };
  return madeWithoutContent(drive, { url, id, resource, fields }, call);
}
