/** Whether a file is in the folder that is watched, or in a folder in it. Folders are asked for once. */
import { isDriveError } from '../errors';
import { type DriveContext, isFolder } from '../api/drive-context';
import { getMetadataIfSupported } from '../api/metadata';
import type { CallOptions, DriveFile } from '../types';
import { type KnownFiles, parentOf } from './known-files';

/** `''`: the whole drive. */
export interface WatchedFolder {
  folderId: string;
  recursive: boolean;
}

/** Folders outside of what is watched that are remembered. */
const MOST_FOLDERS = 1_000;
/** No drive is nested deeper; one that says so has a folder inside itself. */
const DEEPEST = 200;

export class FolderScope {
  /** Parents of folders, `''` for those that have none: asked for, and kept right by the feed. */
  private readonly parents = new Map<string, string>();

  constructor(
    private readonly drive: DriveContext,
    private readonly place: WatchedFolder,
    private readonly known: KnownFiles,
  ) {}

  /** Where folders are now, as the feed tells it. */
  updateParents(files: readonly DriveFile[]): void {
    for (const file of files) {
      if (!isFolder(this.drive.service, file.mimeType)) continue;
      this.parents.delete(file.id);
      this.parents.set(file.id, parentOf(file));
    }
  }

  /** Asks for all that {@link contains} must know of the folder. */
  async loadAncestors(parent: string, call: CallOptions): Promise<void> {
    const { folderId, recursive } = this.place;
    if (folderId === '' || !recursive) return;
    let id = parent;
    for (let depth = 0; id !== '' && id !== folderId && depth < DEEPEST; depth++) {
      const above = this.parentOf(id) ?? (await this.ask(id, call));
      this.parents.set(id, above);
      id = above;
    }
  }

  /** @param parent of a file, `''` where it has none */
  contains(parent: string): boolean {
    const { folderId, recursive } = this.place;
    if (folderId === '' || parent === folderId) return true;
    if (!recursive) return false;
    let id: string | undefined = parent;
    for (let depth = 0; id && id !== folderId && depth < DEEPEST; depth++) id = this.parentOf(id);
    return id === folderId;
  }

  /** Between two pages: what is looked at now is needed. */
  evict(): void {
    for (const id of this.parents.keys()) {
      if (this.parents.size <= MOST_FOLDERS) return;
      this.parents.delete(id);
    }
  }

  private parentOf(id: string): string | undefined {
    return this.parents.get(id) ?? this.known.get(id)?.parent;
  }

  /** A folder that may not be seen, or is gone, is nowhere. */
  private async ask(id: string, call: CallOptions): Promise<string> {
    try {
      const folder = await getMetadataIfSupported(this.drive, id, 'id,parents', call);
      return folder ? parentOf(folder) : '';
    } catch (error) {
      if (isDriveError(error, 'not_found')) return '';
      throw error;
    }
  }
}
