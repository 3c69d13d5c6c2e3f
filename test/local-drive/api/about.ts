import type { Request, Response } from 'express';
import { ApiError } from '../http/api-error';
import { queryOf } from '../http/query-parameters';
import { applyRequestedMask, requestedMask, type DriveBackend } from './backend';
import { EXPORT_FORMATS } from './export';
import { IMPORT_FORMATS, MAX_IMPORT_SIZES } from './import';
import { submask } from './field-mask';
import { ABOUT } from './schemas';

/**
 * about.get: the user and their storage. The only method that requires `fields`.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/about/get
 */
export function about(drive: DriveBackend, request: Request, response: Response): void {
  if (!queryOf(request).get('fields')) {
    const location = { location: 'fields', locationType: 'parameter' as const };
    throw new ApiError(400, 'required', "The 'fields' parameter is required for this method.", location);
  }
  const mask = requestedMask(request, ABOUT, '');
  const resource = {
    kind: 'drive#about',
    user: drive.user,
    storageQuota: submask(mask, 'storageQuota') && storageQuota(drive),
    importFormats: IMPORT_FORMATS,
    exportFormats: EXPORT_FORMATS,
    maxImportSizes: MAX_IMPORT_SIZES,
    maxUploadSize: '5242880000000',
    appInstalled: true,
    canCreateDrives: false,
    canCreateTeamDrives: false,
    driveThemes: [],
    teamDriveThemes: [],
    folderColorPalette: ['#8f8f8f', '#ac725e', '#42d692', '#4986e7'],
  };
  response.json(applyRequestedMask(resource, mask));
}

/** Sizes are int64, so strings; `limit` is absent for unlimited storage. */
function storageQuota({ store, quota, hasStorage }: DriveBackend): object {
  let trash = 0;
  for (const record of store.all()) if (store.isTrashed(record)) trash += record.content?.size ?? 0;
  const usage = String(store.usage);
  return {
    limit: hasStorage ? (quota === undefined ? undefined : String(quota)) : '0',
    usage,
    usageInDrive: usage,
    usageInDriveTrash: String(trash),
  };
}
