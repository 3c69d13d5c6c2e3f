/**
 * Deleting for ever, and the trash.
 * service.md 4.7, https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete
 */
import { isDriveError } from '../errors';
import { discard } from '../http/json';
import type { DriveRequest } from '../http/request-engine';
import { mayHaveHappened } from '../http/retry';
import type { CallOptions } from '../types';
import { type Drive, fileUrl, sharedDrives } from './drive';

/** Deletes for ever; of a folder, everything in it. @throws `not_found`, `permission_denied` */
export async function deleteForEver(drive: Drive, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  await takeAway(
    drive,
    {
      method: 'DELETE',
      url: fileUrl(service, id),
      query: sharedDrives(service),
      headers: { 'Content-Type': 'application/json' },
    },
    call,
  );
}

/** Moves to the trash. @throws `not_found`, `permission_denied` */
export async function trash(drive: Drive, id: string, call: CallOptions): Promise<void> {
  const { service } = drive;
  await takeAway(
    drive,
    {
      method: 'PATCH',
      url: fileUrl(service, id),
      query: { fields: 'id', ...sharedDrives(service) },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ trashed: true }),
    },
    call,
  );
}

/** Where the answer to an earlier try was lost, a file that the next one doesn't find is one that is away. */
async function takeAway({ engine }: Drive, request: DriveRequest, call: CallOptions): Promise<void> {
  let mayBeAway = false;
  await engine.retrying(async () => {
    try {
      await engine.once(request, call, ({ body }) => Promise.resolve(discard(body)));
    } catch (error) {
      if (!isDriveError(error)) throw error;
      if (mayBeAway && error.code === 'not_found') return;
      mayBeAway ||= mayHaveHappened(error);
      throw error;
    }
  }, call);
}
