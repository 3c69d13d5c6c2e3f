/** Determines whether a file is in the watched folder or its subfolders. Requests each folder once. */
import { ifFound, DriveError } from '../errors';
import { type DriveContext, ifSupported } from '../drive/drive-context';
import { isFolder } from '../drive/mime-types';
import { getMetadataIfSupported } from '../drive/metadata';
import type { CallOptions, DriveFile } from '../types';
import { type KnownFiles, parentOf } from './known-files';
import { createHash } from 'node:crypto';
import { getAbout } from '../drive/about';
import { withFields } from '../drive/fields';
import { followShortcut, shortcutFields } from '../drive/shortcuts';
import { isObject } from '../core/validator';
import type { Change } from '../drive/changes';

export interface WatchedFolder {
  /** `''` for the whole drive. */
  folderId: string;
  recursive: boolean;
}

/** The maximum number of cached folders. */
const MAX_FOLDERS = 1_000;
/** More levels than any drive allows. Guards against a cycle of parents. */
const MAX_DEPTH = 200;

export class FolderScope {
  /** Parents by folder id, `''` for none. Updated by the list of changes. */
  private readonly parents = new Map<string, string>();

  constructor(
    private readonly drive: DriveContext,
    private readonly folder: WatchedFolder,
    private readonly known: KnownFiles,
  ) {}

  /** Caches the parents of changed folders. */
  updateParents(files: readonly DriveFile[]): void {
    for (const file of files) {
      if (!isFolder(this.drive.service, file.mimeType)) continue;
      this.parents.delete(file.id);
      this.parents.set(file.id, parentOf(file));
    }
  }

  /** Requests the parent folders that {@link contains} needs, from this folder up to the watched one. */
  async loadAncestors(parentId: string, call: CallOptions): Promise<void> {
    const { folderId, recursive } = this.folder;
    if (folderId === '' || !recursive) return;
    let id = parentId;
    for (let depth = 0; id !== '' && id !== folderId && depth < MAX_DEPTH; depth++) {
      const above = this.parentOf(id) ?? (await this.requestParent(id, call));
      this.parents.set(id, above);
      id = above;
    }
  }

  /** @returns whether files with this parent are watched. @param parentId `''` for none */
  contains(parentId: string): boolean {
    const { folderId, recursive } = this.folder;
    if (folderId === '' || parentId === folderId) return true;
    if (!recursive) return false;
    let id: string | undefined = parentId;
    for (let depth = 0; id && id !== folderId && depth < MAX_DEPTH; depth++) id = this.parentOf(id);
    return id === folderId;
  }

  /** Shrinks the cache. Only between two pages, because folders of the current page are needed. */
  evict(): void {
    for (const id of this.parents.keys()) {
      if (this.parents.size <= MAX_FOLDERS) return;
      this.parents.delete(id);
    }
  }

  private parentOf(id: string): string | undefined {
    return this.parents.get(id) ?? this.known.get(id)?.parent;
  }

  /** A folder that is removed or not accessible has no parent. */
  private async requestParent(id: string, call: CallOptions): Promise<string> {
    const folder = await ifFound(getMetadataIfSupported(this.drive, id, 'id,parents', call));
    return folder ? parentOf(folder) : '';
  }
}

export interface WatchTarget extends WatchedFolder {
  /** Differs for another user, service or folder. A saved state is valid only for the same fingerprint. */
  fingerprint: string;
}

/** @throws `not_found` if the folder is missing or in the trash */
export async function resolveWatchTarget(
  drive: DriveContext,
  folder: WatchedFolder,
  call: CallOptions,
): Promise<WatchTarget> {
  const { baseUrl, driveId } = drive.service;
  const folderId = folder.folderId === '' ? '' : await folderIdOf(drive, folder.folderId, call);
  const recursive = folder.recursive && folderId !== '';
  const identity = [baseUrl, driveId, folderId, recursive, await userId(drive, call)];
  const fingerprint = createHash('sha256').update(JSON.stringify(identity)).digest('base64url').slice(0, 22);
  return { folderId, recursive, fingerprint };
}

/** @throws `not_found` if the changes trash or remove the watched folder */
export function checkFolderExists({ folderId }: WatchedFolder, changes: readonly Change[]): void {
  const folder = changes.find(({ fileId }) => fileId === folderId);
  if (folder && (!folder.file || folder.file.trashed === true))
    throw new DriveError('not_found', { text: 'not_found_watched' });
}

/** @returns the id that files have in `parents`, also for an alias such as `root`, and for a shortcut */
async function folderIdOf(drive: DriveContext, folderId: string, call: CallOptions): Promise<string> {
  const fields = withFields('id,trashed', shortcutFields(drive.service));
  const found = await getMetadataIfSupported(drive, folderId, fields, call);
  const folder = found && (await followShortcut(drive, found, fields, call));
  if (folder?.trashed === true) throw new DriveError('not_found', { text: 'not_found_watched' });
  return folder?.id ?? folderId;
}

/** Page tokens are valid for one user only. @returns `''` if the service doesn't identify the user */
async function userId(drive: DriveContext, call: CallOptions): Promise<string> {
  const about = await ifSupported(drive.service, 'about', getAbout(drive, 'user', call));
  const user = about?.['user'];
  const { permissionId, emailAddress } = isObject(user) ? user : {};
  return [permissionId, emailAddress].find((each) => typeof each === 'string') ?? '';
}
