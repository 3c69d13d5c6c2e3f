/**
 * Copies, which the service makes by itself: no content goes over the line.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy
 */
import { DriveError } from '../errors';
import type { CallOptions, DriveFile } from '../types';
import { type Drive, fileUrl, isFolder, sharedDrives } from './drive';
import { checkedFile, withFields } from './file-fields';
import { madeOnce } from './made-once';
import type { NewIds } from './new-id';
import { type Relocated, type Relocation, type RelocationContext, type Target, relocate } from './relocate';

/** Documents of the service's own editors can't be made under an id of our own. */
const NATIVE = /^application\/vnd\.[^/]+-apps\./;

/** @throws as {@link relocate}; `invalid_input` for a folder, which no service copies */
export function copy(context: RelocationContext, request: Relocation, call: CallOptions): Promise<Relocated> {
  const { drive, newIds } = context;
  const put = (target: Target): Promise<DriveFile> => {
    if (isFolder(drive.service, target.source.mimeType))
      throw new DriveError('invalid_input', { text: 'invalid_input_folder_copied' });
    return copied({ drive, newIds }, { target, fields: withFields(request.fields, ['id']) }, call);
  };
  return relocate({ context, request, isCopy: true, put }, call);
}

async function copied(
  { drive, newIds }: { drive: Drive; newIds: NewIds },
  { target, fields }: { target: Target; fields: string },
  call: CallOptions,
): Promise<DriveFile> {
  const { engine, service } = drive;
  const { source, folderId, name } = target;
  const id = NATIVE.test(source.mimeType ?? '') ? undefined : await newIds.next(call);
  const body = {
    ...(id === undefined ? {} : { id }),
    name,
    ...(folderId === undefined ? {} : { parents: [folderId] }),
  };
  const make = async (): Promise<DriveFile> => {
    const answer = await engine.json(
      {
        method: 'POST',
        url: `${fileUrl(service, source.id)}/copy`,
        query: { fields, ...sharedDrives(service) },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      },
      call,
      id !== undefined,
    );
    return checkedFile(answer);
  };
  return madeOnce(drive, { id, fields }, make, call);
}
