/** Lists folders on the drive, several with one query where the service supports that. */
import { isDriveError } from '../errors';
import { checksumAlgorithm, checksumOf, sizeOf } from '../drive/checksums';
import { type DriveContext, markOutside } from '../drive/drive-context';
import { isFolder, itemKind } from '../drive/mime-types';
import { listChildren } from '../drive/list';
import { getMetadataIfSupported } from '../drive/metadata';
import { shortcutFields } from '../drive/shortcuts';
import { isObject, isString } from '../core/validator';
import { member } from '../http/json';
import type { CallOptions, DriveFile } from '../types';
import type { RemoteFile } from './sync-folder';
import type { SyncReason } from './sync-request';

export interface DriveEntry {
  name: string;
  kind: 'file' | 'folder' | 'document' | 'shortcut' | 'blocked';
  file: RemoteFile;
  /** Of a Workspace document. */
  mimeType?: string | undefined;
  /** Of a shortcut. */
  target?: { id: string; isFolder: boolean };
  /** It stands for the target of a shortcut. */
  isShortcut?: boolean;
  /** Of a blocked entry. */
  reason?: SyncReason;
}

const FIELDS = ['id', 'name', 'mimeType', 'size', 'md5Checksum', 'sha256Checksum', 'modifiedTime', 'parents'];

export function listFields({ service }: DriveContext): string {
  return [...FIELDS, ...shortcutFields(service), ...(service.can.queries ? [] : ['trashed'])].join(',');
}

/** @returns the content of each folder, by its id, without what is in the trash. @throws as {@link listChildren} */
export function listDrive(
  drive: DriveContext,
  folderIds: readonly string[],
  call: CallOptions,
): Promise<Map<string, DriveEntry[]>> {
  const toItem = (file: DriveFile): DriveEntry => toEntry(drive, file);
  return listChildren(
    drive,
    folderIds,
    { fields: listFields(drive), toItem, text: 'bad_response_incomplete_sync' },
    call,
  );
}

/** @throws `bad_response` without a MIME type: a folder would be compared, transferred or removed like a file */
export function toEntry({ service }: DriveContext, file: DriveFile): DriveEntry {
  const { name = '' } = file;
  const mimeType = service.folderMimeType === '' ? file.mimeType : member(file, 'mimeType', isString);
  const kind = itemKind(service, mimeType);
  const remote = toRemoteFile(file, kind !== 'file');
  if (kind === 'shortcut') return toShortcut(service, file, remote);
  return kind === 'document' ? { name, kind, file: remote, mimeType } : { name, kind, file: remote };
}

function toRemoteFile(file: DriveFile, isDocument: boolean): RemoteFile {
  const time = Date.parse(file.modifiedTime ?? '');
  return {
    id: file.id,
    size: isDocument ? undefined : sizeOf(file),
    time: Number.isNaN(time) ? undefined : time,
    checksum: checksumBytes(file),
    isDocument,
  };
}

/** @returns as {@link RemoteFile.checksum} */
export function checksumBytes(file: DriveFile): string | undefined {
  const algorithm = checksumAlgorithm(file);
  const digest = algorithm && checksumOf(file, algorithm);
  return digest === undefined ? undefined : Buffer.from(digest, 'hex').toString('latin1');
}

function toShortcut(service: DriveContext['service'], file: DriveFile, remote: RemoteFile): DriveEntry {
  const { name = '' } = file;
  const details = file['shortcutDetails'];
  // A custom service isn't asked for them.
  if (!service.can.shortcuts) return { name, kind: 'blocked', reason: 'shortcut', file: remote };
  const { targetId, targetMimeType } = isObject(details) ? details : {};
  if (typeof targetId !== 'string') return { name, kind: 'blocked', reason: 'shortcut_target', file: remote };
  const isFolderTarget = typeof targetMimeType === 'string' && isFolder(service, targetMimeType);
  return { name, kind: 'shortcut', file: remote, target: { id: targetId, isFolder: isFolderTarget } };
}

/** The entry that a shortcut stands for, under the name of the shortcut; blocked if the target is missing. */
export async function targetEntry(
  drive: DriveContext,
  { name, file, target }: DriveEntry,
  call: CallOptions,
): Promise<DriveEntry> {
  const blocked: DriveEntry = { name, kind: 'blocked', reason: 'shortcut_target', file };
  try {
    const found =
      target && (await getMetadataIfSupported(drive, target.id, `${listFields(drive)},trashed`, call));
    if (!found || found.trashed === true) return blocked;
    const entry = toEntry(drive, found);
    if (entry.kind === 'folder') markOutside(drive, found.id);
    return entry.kind === 'shortcut' ? blocked : { ...entry, name, isShortcut: true };
  } catch (error) {
    if (isDriveError(error, 'not_found') || isDriveError(error, 'permission_denied')) return blocked;
    throw error;
  }
}
