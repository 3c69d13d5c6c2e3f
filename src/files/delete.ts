/**
 * Deleting for ever, and the trash.
 * service.md 4.7, https://developers.google.com/workspace/drive/api/reference/rest/v3/files/delete
 */
import type { CallOptions } from '../types';
import { type Drive, fileUrl, sharedDrives } from './drive';

/** Deletes for ever; of a folder, everything in it. @throws `not_found`, `permission_denied` */
export async function deleteForEver(drive: Drive, id: string, call: CallOptions): Promise<void> {
  const { engine, service } = drive;
  await engine.none(
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
  const { engine, service } = drive;
  await engine.json(
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
