import type { Request, Response } from 'express';
import { driveNotFound, invalidValue } from '../http/api-error';
import { integerParameter, queryOf } from '../http/query-parameters';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { DRIVE, DRIVE_LIST } from './schemas';
import { driveResource } from './shared-drives';

/**
 * drives.list: the user's shared drives, page by page.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/drives/list
 */
export function listDrives({ store }: DriveBackend, request: Request, response: Response): void {
  const query = queryOf(request);
  const size = integerParameter(query, 'pageSize', { min: 1, max: 100, fallback: 10 });
  const token = query.get('pageToken');
  const start = Number(token ?? 0);
  if (token !== null && !/^\d{1,9}$/.test(token)) throw invalidValue('pageToken');
  const drives = store.sharedDrives();
  const list = {
    kind: 'drive#driveList',
    ...(drives.length > start + size && { nextPageToken: String(start + size) }),
    drives: drives.slice(start, start + size).map(driveResource),
  };
  response.json(applyRequestedMask(list, requestedMask(request, DRIVE_LIST, '*')));
}

/** drives.get. */
export function getDrive({ store }: DriveBackend, request: Request, response: Response): void {
  const id = String(request.params.driveId);
  const drive = store.sharedDrives().find((each) => each.id === id);
  if (!drive) throw driveNotFound(id);
  response.json(applyRequestedMask(driveResource(drive), requestedMask(request, DRIVE, 'kind,id,name')));
}
