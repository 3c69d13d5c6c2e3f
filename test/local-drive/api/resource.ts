import type { Algorithm } from '../storage/digester';
import {
  hasDownloadableContent,
  isFolder,
  isWorkspaceType,
  SHORTCUT,
  type FileRecord,
} from '../storage/file-record';
import { ensureDigests, type DriveBackend } from './backend';
import { exportLinks } from './export';
import { applyMask, submask, type Mask } from './field-mask';
import { effectivePermissions, mayShare, permissionResource } from './effective-permissions';
import { formatTimestamp } from './timestamp';
import { otherUser, ownerOf, USER } from './user';
import { hasRole } from './shared-drives';
import { spaceOf } from './spaces';

/**
 * The File resource. int64 values are strings, times RFC 3339 with milliseconds.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File
 */

type Field = (record: FileRecord, drive: DriveBackend) => unknown;

/** The size that Google Drive reports for a Workspace document. */
const WORKSPACE_DOCUMENT_SIZE = 1024;

const FIELDS: Record<string, Field> = {
  kind: () => 'drive#file',
  id: ({ id }) => id,
  // Google Drive reports this name for the top folder of a shared drive.
  name: ({ name, sharedDrive }) => (sharedDrive === undefined ? name : 'Drive'),
  mimeType: ({ mimeType }) => mimeType,
  description: ({ description }) => description,
  starred: ({ starred }) => starred,
  trashed: (record, { store }) => store.isTrashed(record),
  explicitlyTrashed: ({ trashed }) => trashed,
  parents: ({ parent }) => (parent === undefined ? undefined : [parent]),
  properties: ({ properties }) => unlessEmpty(properties),
  appProperties: ({ appProperties }) => unlessEmpty(appProperties),
  spaces: (record, { store }) => [spaceOf(store, record)],
  version: ({ version }) => String(version),
  webContentLink: (record, drive) =>
    hasDownloadableContent(record) ? `${drive.baseUrl()}/uc?id=${record.id}&export=download` : undefined,
  webViewLink: (record, drive) => `${drive.baseUrl()}/${webViewPath(record)}`,
  iconLink: ({ mimeType }, drive) => `${drive.baseUrl()}/icons/${mimeType}`,
  hasThumbnail: () => false,
  thumbnailVersion: () => '0',
  viewedByMe: ({ viewedByMeTime }) => viewedByMeTime !== undefined,
  viewedByMeTime: ({ viewedByMeTime }) => formatTimestamp(viewedByMeTime),
  createdTime: ({ createdTime }) => formatTimestamp(createdTime),
  modifiedTime: ({ modifiedTime }) => formatTimestamp(modifiedTime),
  modifiedByMe: () => true,
  modifiedByMeTime: ({ modifiedTime }) => formatTimestamp(modifiedTime),
  driveId: (record, { store }) => store.driveIdOf(record),
  teamDriveId: (record, { store }) => store.driveIdOf(record),
  hasAugmentedPermissions: onlyInSharedDrive(() => false),
  trashingUser: onlyInSharedDrive((record) => (record.trashed ? USER : undefined)),
  owners: onlyInMyDrive((record, { store }) => [ownerOf(store, record)]),
  lastModifyingUser: () => USER,
  shared: onlyInMyDrive((record, drive) => effectivePermissions(drive, record).length > 1),
  ownedByMe: onlyInMyDrive(
    (record, { store, user }) => ownerOf(store, record)['emailAddress'] === user.emailAddress,
  ),
  sharedWithMeTime: ({ sharedWithMe }) => formatTimestamp(sharedWithMe?.time),
  sharingUser: ({ sharedWithMe }) => sharedWithMe && otherUser(sharedWithMe.owner),
  viewersCanCopyContent: () => true,
  copyRequiresWriterPermission: (record) => record.copyRequiresWriterPermission ?? false,
  writersCanShare: onlyInMyDrive((record) => record.writersCanShare ?? true),
  permissionIds: (record, drive) => effectivePermissions(drive, record).map(({ id }) => id),
  permissions: onlyInMyDrive((record, drive) =>
    mayShare(drive.store, record) ? effectivePermissions(drive, record).map(permissionResource) : undefined,
  ),
  isAppAuthorized: () => true,
  capabilities: (record, drive) => capabilities(record, drive),
  folderColorRgb: (record) => (isFolder(record) ? (record.folderColorRgb ?? '#8f8f8f') : undefined),
  originalFilename: onlyWithContent((record) => record.originalFilename ?? record.name),
  fullFileExtension: onlyWithContent(({ name }) => /^[^.]+\.(.+)$/.exec(name)?.[1]),
  fileExtension: onlyWithContent(({ name }) => /\.([^.]+)$/.exec(name)?.[1]),
  md5Checksum: onlyWithContent((record) => record.content?.md5),
  sha1Checksum: onlyWithContent((record) => record.content?.sha1),
  sha256Checksum: onlyWithContent((record) => record.content?.sha256),
  size: (record) => size(record),
  quotaBytesUsed: (record) => String(hasDownloadableContent(record) ? record.content.size : 0),
  headRevisionId: onlyWithContent(({ revision }) => revision),
  exportLinks: (record, drive) => exportLinks(record, drive.exportLink),
  shortcutDetails: ({ shortcutTarget, shortcutTargetMimeType }) =>
    shortcutTarget === undefined
      ? undefined
      : { targetId: shortcutTarget, targetMimeType: shortcutTargetMimeType },
};

/** The resource of a record, with the fields selected by the mask. */
export async function toResource(drive: DriveBackend, record: FileRecord, mask: Mask): Promise<object> {
  await ensureDigests(drive, record, requestedDigests(mask));
  const resource: Record<string, unknown> = {};
  for (const name of mask === 'all' ? Object.keys(FIELDS) : mask.keys()) {
    const value = FIELDS[name]?.(record, drive);
    if (value !== undefined) resource[name] = applyMask(value, submask(mask, name) ?? 'all');
  }
  return resource;
}

/** The resources of several records, sequentially because digests are rarely missing. */
export async function toResources(drive: DriveBackend, records: FileRecord[], mask: Mask): Promise<object[]> {
  const resources: object[] = [];
  for (const record of records) resources.push(await toResource(drive, record, mask));
  return resources;
}

function requestedDigests(mask: Mask): Algorithm[] {
  const names: Algorithm[] = ['md5', 'sha1', 'sha256'];
  return names.filter((name) => submask(mask, `${name}Checksum`) !== undefined);
}

/** A field of files with content only. */
function onlyWithContent(field: Field): Field {
  return (record, drive) => (hasDownloadableContent(record) ? field(record, drive) : undefined);
}

/** A field of items in My Drive only. */
function onlyInMyDrive(field: Field): Field {
  return (record, drive) => (drive.store.driveIdOf(record) === undefined ? field(record, drive) : undefined);
}

/** A field of items in shared drives only. */
function onlyInSharedDrive(field: Field): Field {
  return (record, drive) => (drive.store.driveIdOf(record) === undefined ? undefined : field(record, drive));
}

function size(record: FileRecord): string | undefined {
  if (hasDownloadableContent(record)) return String(record.content.size);
  return isFolder(record) || record.mimeType === SHORTCUT ? undefined : String(WORKSPACE_DOCUMENT_SIZE);
}

function unlessEmpty(map: Record<string, string>): object | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

function webViewPath(record: FileRecord): string {
  if (isFolder(record)) return `drive/folders/${record.id}`;
  const [, kind] = /\.(document|spreadsheet|presentation)$/.exec(record.mimeType) ?? [];
  if (kind === undefined || !isWorkspaceType(record.mimeType)) return `file/d/${record.id}/view`;
  return `${kind}${kind === 'document' ? '' : 's'}/d/${record.id}/edit`;
}

function capabilities(record: FileRecord, { store }: DriveBackend): object {
  const isMovable = !store.isTopFolder(record.id);
  const isAFolder = isFolder(record);
  const isWriter = hasRole(store, record, 'writer');
  const isOrganizer = hasRole(store, record, 'fileOrganizer');
  return {
    canAddChildren: isAFolder && isWriter,
    canCopy: !isAFolder,
    canDelete: isMovable && hasRole(store, record, 'organizer'),
    canDownload: hasDownloadableContent(record),
    canEdit: isWriter,
    canListChildren: isAFolder,
    canModifyContent: isWriter,
    canRemoveChildren: isAFolder,
    canRename: isMovable,
    canShare: mayShare(store, record),
    canTrash: isMovable && isOrganizer && !record.trashed,
    canUntrash: isMovable && isOrganizer && record.trashed,
  };
}
