/** Determines whether a file is in the watched folder or its subfolders. Requests each folder once. */
import { ifFound } from '../errors';
import type { DriveContext } from '../drive/drive-context';
import { isFolder } from '../drive/mime-types';
import { getMetadataIfSupported } from '../drive/metadata';
import type { CallOptions, DriveFile } from '../types';
import { type KnownFiles, parentOf } from './known-files';

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
