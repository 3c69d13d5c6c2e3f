import type { Schema } from './field-mask';

/** The fields that a mask may name, including those that this service never sets. */

function values(names: string): Schema {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'value' as const]));
}

const USER: Schema = values('kind displayName photoLink me permissionId emailAddress');

export const PERMISSION: Schema = {
  ...values(
    'kind id type role emailAddress displayName photoLink domain allowFileDiscovery expirationTime deleted ' +
      'pendingOwner view inheritedPermissionsDisabled',
  ),
  permissionDetails: values('permissionType role inherited inheritedFrom'),
  teamDrivePermissionDetails: values('teamDrivePermissionType role inherited inheritedFrom'),
};
export const PERMISSION_LIST: Schema = { ...values('kind nextPageToken'), permissions: PERMISSION };

const CAPABILITIES = values(
  'canAcceptOwnership canAddChildren canAddFolderFromAnotherDrive canAddMyDriveParent ' +
    'canChangeCopyRequiresWriterPermission canChangeItemDownloadRestriction canChangeSecurityUpdateEnabled ' +
    'canChangeViewersCanCopyContent canComment canCopy canDelete canDeleteChildren canDisableInheritedPermissions ' +
    'canDownload canEdit canEnableInheritedPermissions canListChildren canModifyContent ' +
    'canModifyContentRestriction canModifyEditorContentRestriction canModifyLabels ' +
    'canModifyOwnerContentRestriction canMoveChildrenOutOfDrive canMoveChildrenWithinDrive ' +
    'canMoveItemOutOfDrive canMoveItemWithinDrive canReadDrive canReadLabels canReadRevisions ' +
    'canRemoveChildren canRemoveContentRestriction canRemoveMyDriveParent canRename canShare canTrash ' +
    'canTrashChildren canUntrash canMoveChildrenOutOfTeamDrive canMoveChildrenWithinTeamDrive ' +
    'canMoveItemIntoTeamDrive canMoveItemOutOfTeamDrive canMoveItemWithinTeamDrive canMoveTeamDriveItem ' +
    'canReadTeamDrive',
);

export const FILE: Schema = {
  ...values(
    'kind id name mimeType description starred trashed explicitlyTrashed trashedTime parents spaces version ' +
      'webContentLink webViewLink iconLink hasThumbnail thumbnailLink thumbnailVersion viewedByMe viewedByMeTime ' +
      'createdTime modifiedTime modifiedByMe modifiedByMeTime sharedWithMeTime driveId teamDriveId shared ' +
      'ownedByMe viewersCanCopyContent copyRequiresWriterPermission writersCanShare permissionIds ' +
      'hasAugmentedPermissions folderColorRgb originalFilename fullFileExtension fileExtension md5Checksum ' +
      'sha1Checksum sha256Checksum size quotaBytesUsed headRevisionId isAppAuthorized resourceKey ' +
      'inheritedPermissionsDisabled',
  ),
  owners: USER,
  lastModifyingUser: USER,
  sharingUser: USER,
  trashingUser: USER,
  capabilities: CAPABILITIES,
  properties: 'map',
  appProperties: 'map',
  exportLinks: 'map',
  permissions: PERMISSION,
  contentHints: 'map',
  imageMediaMetadata: 'map',
  videoMediaMetadata: 'map',
  contentRestrictions: 'map',
  linkShareMetadata: 'map',
  labelInfo: 'map',
  downloadRestrictions: 'map',
  shortcutDetails: values('targetId targetMimeType targetResourceKey'),
};

export const FILE_LIST: Schema = { ...values('kind nextPageToken incompleteSearch'), files: FILE };

export const ABOUT: Schema = {
  ...values('kind appInstalled canCreateDrives canCreateTeamDrives maxUploadSize folderColorPalette'),
  user: USER,
  storageQuota: values('limit usage usageInDrive usageInDriveTrash'),
  importFormats: 'map',
  exportFormats: 'map',
  maxImportSizes: 'map',
  driveThemes: 'map',
  teamDriveThemes: 'map',
};

export const CHANGE_LIST: Schema = {
  ...values('kind nextPageToken newStartPageToken'),
  changes: {
    ...values('kind type changeType time removed fileId driveId teamDriveId'),
    file: FILE,
    drive: 'map',
    teamDrive: 'map',
  },
};

export const START_PAGE_TOKEN: Schema = values('kind startPageToken');
export const GENERATED_IDS: Schema = values('kind space ids');
export const REVISION: Schema = {
  ...values(
    'kind id mimeType modifiedTime keepForever published publishedLink publishAuto publishedOutsideDomain ' +
      'originalFilename md5Checksum size',
  ),
  lastModifyingUser: USER,
  exportLinks: 'map',
};
export const REVISION_LIST: Schema = { ...values('kind nextPageToken'), revisions: REVISION };
export const COMMENT: Schema = {
  ...values('kind id createdTime modifiedTime resolved anchor content htmlContent deleted'),
  author: USER,
  replies: 'map',
  quotedFileContent: 'map',
};
export const COMMENT_LIST: Schema = { ...values('kind nextPageToken'), comments: COMMENT };
export const DRIVE: Schema = {
  ...values('kind id name colorRgb createdTime hidden themeId backgroundImageLink orgUnitId'),
  capabilities: 'map',
  restrictions: 'map',
};
export const DRIVE_LIST: Schema = { ...values('kind nextPageToken'), drives: DRIVE };
