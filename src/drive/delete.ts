/**
 * Deleting permanently, and the trash.
 * https://developers.google.com/workspace/drive/api/guides/delete
 */
import { DriveError, isDriveError } from '../errors';
import { discard } from '../http/json';
import type { DriveRequest } from '../http/engine';
import { mayHaveBeenProcessed } from '../http/retry';
import type { CallOptions, Service } from '../types';
import {
  type DriveContext,
  fileUrl,
  filesUrl,
  isRefusedRequest,
  isUnsupported,
  patchRequest,
  sharedDriveParams,
} from './drive-context';
import { getMetadata } from './metadata';

/** Deletes a file, or a folder with everything in it. @throws `not_found`, `permission_denied` */
export async function deletePermanently(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  const request: DriveRequest = {
    method: 'DELETE',
    url: fileUrl(service, id),
    query: sharedDriveParams(service),
    headers: { 'Content-Type': 'application/json' },
  };
  await deleteResource(drive, { request }, call);
}

/** Moves to the trash. @throws `not_found`, `permission_denied`, `bad_response` if the service has no trash */
export async function trash(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  const request = patchRequest(service, id, { trashed: true }, 'id');
  try {
    await deleteResource(drive, { request, mapError: (error) => noTrashError(service, error) }, call);
  } catch (error) {
    // A service without a trash may answer as if the file didn't exist, which would count as removed.
    const isDoubtful = !service.can.trash && isDriveError(error, 'not_found');
    if (isDoubtful && !(await isKnownMissing(drive, id, call))) throw withoutTrash(error);
    throw error;
  }
}

/** Whether the service, asked for the file itself, says that it doesn't exist. */
async function isKnownMissing(drive: DriveContext, id: string, call: CallOptions): Promise<boolean> {
  try {
    await getMetadata(drive, id, 'id', call);
    return false;
  } catch (error) {
    return !isRefusedRequest(error) || (error.code === 'not_found' && error.reason !== undefined);
  }
}

/**
 * Permanently deletes everything in the trash of the account's drive.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/emptyTrash
 * @throws `permission_denied`, `bad_response` if the service has no trash
 */
export async function emptyTrash(drive: DriveContext, call: CallOptions): Promise<void> {
  const { service } = drive;
  const request: DriveRequest = {
    method: 'DELETE',
    url: `${filesUrl(service)}/trash`,
    query: { driveId: service.driveId || undefined },
  };
  await deleteResource(drive, { request, mapError: (error) => noTrashError(service, error) }, call);
}

/** Takes a file out of the trash. @throws `not_found`, `permission_denied` */
export async function untrash(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  await drive.engine.requestJson(patchRequest(drive.service, id, { trashed: false }, 'id'), call);
}

interface Deletion {
  request: DriveRequest;
  mapError?: (error: DriveError) => DriveError;
}

/** If the response to an earlier attempt was lost, a later `not_found` means that the attempt succeeded. */
export async function deleteResource(
  { engine }: DriveContext,
  { request, mapError = (error) => error }: Deletion,
  call: CallOptions,
): Promise<void> {
  let mayBeRemoved = false;
  await engine.retry(async () => {
    try {
      await engine.requestWithoutRetry(request, call, ({ body }) => Promise.resolve(discard(body)));
    } catch (caught) {
      if (!isDriveError(caught)) throw caught;
      const error = mapError(caught);
      if (mayBeRemoved && error.code === 'not_found') return;
      mayBeRemoved ||= mayHaveBeenProcessed(error);
      throw error;
    }
  }, call);
}

/** Without a reason in the response, a missing file looks the same as a missing trash. */
function noTrashError(service: Service, error: DriveError): DriveError {
  if (error.reason !== undefined || !isUnsupported(service, 'trash', error)) return error;
  return withoutTrash(error);
}

function withoutTrash({ params, status }: DriveError): DriveError {
  return new DriveError('bad_response', { text: 'bad_response_no_trash', params, status });
}
