import type { Algorithm } from '../content/digester';
import {
  hasDownloadableContent,
  isFolder,
  isNative,
  SHORTCUT,
  type FileRecord,
} from '../metadata/file-record';
import { ensureDigests, type DriveContext } from './drive';
import { exportLinks } from './export-formats';
import { applyMask, maskOf, type Mask } from './field-mask';
import { THE_PERSON } from './person';
import { mayDo } from './shared-drives';
import { spaceOf } from './spaces';

/**
 * A file as the interface shows it. int64 are strings, times RFC 3339 with milliseconds.
 * https://developers.google.com/workspace/drive/api/reference/rest/v3/files#File
 */

type Field = (record: FileRecord, drive: DriveContext) => unknown;

/** Size that the real service gives for a native document. */
const NATIVE_SIZE = 1024;

const FIELDS: Record<string, Field> = {
  kind: () => 'drive#file',
  id: ({ id }) => id,
  // The top folder of a shared drive has no name of its own.
  name: ({ name, sharedDrive }) => (sharedDrive === undefined ? name : 'Drive'),
  mimeType: ({ mimeType }) => mimeType,
  description: ({ description }) => description,
  starred: ({ starred }) => starred,
  trashed: (record, { store }) => store.isTrashed(record),
  explicitlyTrashed: ({ trashed }) => trashed,
  parents: ({ parent }) => (parent === undefined ? undefined : [parent]),
  properties: ({ properties }) => filled(properties),
  appProperties: ({ appProperties }) => filled(appProperties),
  spaces: (record, { store }) => [spaceOf(store, record)],
  version: ({ version }) => String(version),
  webContentLink: (record, drive) =>
    hasDownloadableContent(record) ? `${drive.origin()}/uc?id=${record.id}&export=download` : undefined,
  webViewLink: (record, drive) => `${drive.origin()}/${viewPath(record)}`,
  iconLink: ({ mimeType }, drive) => `${drive.origin()}/icons/${mimeType}`,
  hasThumbnail: () => false,
  thumbnailVersion: () => '0',
  viewedByMe: ({ viewedByMeTime }) => viewedByMeTime !== undefined,
  viewedByMeTime: ({ viewedByMeTime }) => time(viewedByMeTime),
  createdTime: ({ createdTime }) => time(createdTime),
  modifiedTime: ({ modifiedTime }) => time(modifiedTime),
  modifiedByMe: () => true,
  modifiedByMeTime: ({ modifiedTime }) => time(modifiedTime),
  driveId: (record, { store }) => store.driveOf(record),
  teamDriveId: (record, { store }) => store.driveOf(record),
  hasAugmentedPermissions: shared(() => false),
  trashingUser: shared((record) => (record.trashed ? THE_PERSON : undefined)),
  owners: mine(() => [THE_PERSON]),
  lastModifyingUser: () => THE_PERSON,
  shared: mine(() => false),
  ownedByMe: mine(() => true),
  viewersCanCopyContent: () => true,
  copyRequiresWriterPermission: () => false,
  writersCanShare: mine(() => true),
  permissionIds: () => [THE_PERSON.permissionId],
  isAppAuthorized: () => true,
  capabilities: (record, drive) => capabilities(record, drive),
  folderColorRgb: (record) => (isFolder(record) ? (record.folderColorRgb ?? '#8f8f8f') : undefined),
  originalFilename: content((record) => record.originalFilename ?? record.name),
  fullFileExtension: content(({ name }) => /^[^.]+\.(.+)$/.exec(name)?.[1]),
  fileExtension: content(({ name }) => /\.([^.]+)$/.exec(name)?.[1]),
  md5Checksum: content((record) => record.content?.md5),
  sha1Checksum: content((record) => record.content?.sha1),
  sha256Checksum: content((record) => record.content?.sha256),
  size: (record) => size(record),
  quotaBytesUsed: (record) => String(hasDownloadableContent(record) ? record.content.size : 0),
  headRevisionId: content(({ revision }) => revision),
  exportLinks: (record, drive) => exportLinks(record, drive.exportLink),
  shortcutDetails: ({ shortcutTarget }, { store }) =>
    shortcutTarget === undefined
      ? undefined
      : { targetId: shortcutTarget, targetMimeType: store.get(shortcutTarget)?.mimeType },
};

/** A record as a resource, with only what the mask wants. */
export async function toResource(drive: DriveContext, record: FileRecord, mask: Mask): Promise<object> {
  await ensureDigests(drive, record, digestsIn(mask));
  const resource: Record<string, unknown> = {};
  for (const name of mask === 'all' ? Object.keys(FIELDS) : mask.keys()) {
    const value = FIELDS[name]?.(record, drive);
    if (value !== undefined) resource[name] = applyMask(value, maskOf(mask, name) ?? 'all');
  }
  return resource;
}

/** Several records; one after the other, since most need no digests and are ready at once. */
export async function toResources(drive: DriveContext, records: FileRecord[], mask: Mask): Promise<object[]> {
  const resources: object[] = [];
  for (const record of records) resources.push(await toResource(drive, record, mask));
  return resources;
}

function digestsIn(mask: Mask): Algorithm[] {
  const names: Algorithm[] = ['md5', 'sha1', 'sha256'];
  return names.filter((name) => maskOf(mask, `${name}Checksum`) !== undefined);
}

/** RFC 3339 in UTC with milliseconds. */
export function time(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

/** A field that only files with content have. */
function content(field: Field): Field {
  return (record, drive) => (hasDownloadableContent(record) ? field(record, drive) : undefined);
}

/** A field that items in shared drives don't have. */
function mine(field: Field): Field {
  return (record, drive) => (drive.store.driveOf(record) === undefined ? field(record, drive) : undefined);
}

/** A field that only items in shared drives have. */
function shared(field: Field): Field {
  return (record, drive) => (drive.store.driveOf(record) === undefined ? undefined : field(record, drive));
}

function size(record: FileRecord): string | undefined {
  if (hasDownloadableContent(record)) return String(record.content.size);
  return isFolder(record) || record.mimeType === SHORTCUT ? undefined : String(NATIVE_SIZE);
}

function filled(map: Record<string, string>): object | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}

function viewPath(record: FileRecord): string {
  if (isFolder(record)) return `drive/folders/${record.id}`;
  return isNative(record.mimeType) ? `document/d/${record.id}/edit` : `file/d/${record.id}/view`;
}

function capabilities(record: FileRecord, { store }: DriveContext): object {
  const own = !store.isTop(record.id);
  const folder = isFolder(record);
  const isWriter = mayDo(store, record, 'writer');
  const isOrganizer = mayDo(store, record, 'fileOrganizer');
  return {
    canAddChildren: folder && isWriter,
    canCopy: !folder,
    canDelete: own && mayDo(store, record, 'organizer'),
    canDownload: hasDownloadableContent(record),
    canEdit: isWriter,
    canListChildren: folder,
    canModifyContent: isWriter,
    canRemoveChildren: folder,
    canRename: own,
    canTrash: own && isOrganizer && !record.trashed,
    canUntrash: own && isOrganizer && record.trashed,
  };
}
