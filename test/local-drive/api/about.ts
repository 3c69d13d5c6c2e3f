import type { Request, Response } from 'express';
import { ApiError } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { EXPORT_FORMATS } from './export-formats';
import { submask } from './field-mask';
import { USER } from './user';
import { ABOUT } from './schemas';

/**
 * GET /drive/v3/about: user and storage; the one method that wants `fields`.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
export function about(drive: DriveBackend, request: Request, response: Response): void {
  if (!queryOf(request).get('fields')) {
    const at = { location: 'fields', locationType: 'parameter' as const };
    throw new ApiError(400, 'required', "The 'fields' parameter is required for this method.", at);
  }
  const mask = requestedMask(request, ABOUT, '');
  const answer = {
    kind: 'drive#about',
    user: USER,
    storageQuota: submask(mask, 'storageQuota') && storageQuota(drive),
    importFormats: { 'text/plain': ['application/vnd.google-apps.document'] },
    exportFormats: EXPORT_FORMATS,
    maxImportSizes: { 'application/vnd.google-apps.document': '10485760' },
    maxUploadSize: '5242880000000',
    appInstalled: true,
    canCreateDrives: false,
    canCreateTeamDrives: false,
    driveThemes: [],
    teamDriveThemes: [],
    folderColorPalette: ['#8f8f8f', '#ac725e', '#42d692', '#4986e7'],
  };
  response.json(applyRequestedMask(answer, mask));
}

/** Sizes are int64 and so strings; `limit` is absent where there is none. */
function storageQuota({ store, quota }: DriveBackend): object {
  let trash = 0;
  for (const record of store.all()) if (store.isTrashed(record)) trash += record.content?.size ?? 0;
  const usage = String(store.usage);
  return {
    ...(quota !== undefined && { limit: String(quota) }),
    usage,
    usageInDrive: usage,
    usageInDriveTrash: String(trash),
  };
}
