/**
 * Deleting for ever, and the trash.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete
 */
import { DriveError, isDriveError } from '../errors';
import { discard } from '../http/json';
import type { DriveRequest } from '../http/engine';
import { mayHaveHappened } from '../http/retry';
import type { CallOptions, Service } from '../types';
import { type DriveContext, fileUrl, isUnsupportedRequest, sharedDriveParams } from './drive-context';

/** Deletes for ever; of a folder, everything in it. @throws `not_found`, `permission_denied` */
export async function deletePermanently(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  await takeAway(
    drive,
    {
      method: 'DELETE',
      url: fileUrl(service, id),
      query: sharedDriveParams(service),
      headers: { 'Content-Type': 'application/json' },
    },
    call,
  );
}

/** Moves to the trash. @throws `not_found`, `permission_denied` */
export async function trash(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  await takeAway(drive, trashing(service, id, true), call, (error) => withoutTrash(service, error));
}

/** Takes what was just trashed out again. @throws `not_found`, `permission_denied` */
export async function untrash(drive: DriveContext, id: string, call: CallOptions): Promise<void> {
  await drive.engine.json(trashing(drive.service, id, false), call);
}

function trashing(service: Service, id: string, trashed: boolean): DriveRequest {
  return {
    method: 'PATCH',
    url: fileUrl(service, id),
    query: { fields: 'id', ...sharedDriveParams(service) },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ trashed }),
  };
}

/** Where the answer to an earlier try was lost, a file that the next one doesn't find is one that is away. */
async function takeAway(
  { engine }: DriveContext,
  request: DriveRequest,
  call: CallOptions,
  meaning = (error: DriveError) => error,
): Promise<void> {
  let mayBeAway = false;
  await engine.retrying(async () => {
    try {
      await engine.once(request, call, ({ body }) => Promise.resolve(discard(body)));
    } catch (caught) {
      if (!isDriveError(caught)) throw caught;
      const error = meaning(caught);
      if (mayBeAway && error.code === 'not_found') return;
      mayBeAway ||= mayHaveHappened(error);
      throw error;
    }
  }, call);
}

/** A custom service need have no trash: where no reason is given, nothing tells a missing file from a service without one. */
function withoutTrash({ kind }: Service, error: DriveError): DriveError {
  const { status, reason } = error;
  if (kind === 'google' || reason !== undefined || !isUnsupportedRequest(error)) return error;
  const detail = { params: error.params, ...(status === undefined ? {} : { status }) };
  return new DriveError('bad_response', { text: 'bad_response_no_trash', ...detail });
}
