/**
 * Sets the modified time of a file without sending its content.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update
 */
import type { CallOptions, Service } from '../types';
import { type DriveContext, fileUrl, isUnsupportedRequest, sharedDriveParams } from './drive-context';

/** Custom services that have refused the latest attempt. */
const refusing = new WeakSet<Service>();

/** False after a custom service has refused to, so that a dry run doesn't expect it. */
export function canSetModifiedTime({ service }: DriveContext): boolean {
  return !refusing.has(service);
}

/** @returns false if a custom service can't change metadata. @throws `not_found`, `permission_denied` */
export async function setModifiedTime(
  { engine, service }: DriveContext,
  id: string,
  time: Date,
  call: CallOptions,
): Promise<boolean> {
  const request = {
    method: 'PATCH',
    url: fileUrl(service, id),
    query: { fields: 'id', ...sharedDriveParams(service) },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ modifiedTime: time.toISOString() }),
  } as const;
  try {
    await engine.requestJson(request, call);
    refusing.delete(service);
    return true;
  } catch (error) {
    if (service.kind !== 'custom' || !isUnsupportedRequest(error)) throw error;
    refusing.add(service);
    return false;
  }
}
