/** The folders and files of a plan. There may be hundreds of thousands of files, so their objects are small. */
import path from 'node:path';

export class SyncFolder {
  /** Relative to the top folder, with `/`; `''` for the top folder. */
  readonly path: string;
  /** Undefined if the drive doesn't have the folder. */
  driveId: string | undefined;
  onDisk = false;
  /** Without symbolic links; of the top folder, and of others only if links are followed. */
  realPath: string | undefined;
  /**
   * At the destination, reached through a shortcut or link: its content belongs elsewhere, so nothing in it is removed.
   */
  isShared = false;
  /** Missing at the destination, and to be created. */
  isNeeded = false;
  /** Exists only at the destination. */
  isExtra = false;
  /** A file that isn't selected has its name at the destination. */
  isBlocked = false;
  /** Contains something that has to stay. */
  isKept = false;
  /** Contains files that are to be removed. */
  hasExtraFiles = false;
  /** The folder couldn't be created. */
  error: unknown;

  /** @param name on disk */
  constructor(
    readonly parent: SyncFolder | undefined,
    readonly name: string,
  ) {
    this.path = parent ? parent.pathOf(name) : '';
  }

  pathOf(name: string): string {
    // A template would return a string that refers to its parts, which takes more memory.
    return this.path === '' ? name : [this.path, name].join('/');
  }

  /** Absolute, without symbolic links. The top folder has to be on disk. */
  diskPath(): string {
    return this.realPath ?? path.join(this.parent?.diskPath() ?? '', this.name);
  }

  /** From this folder to the top. */
  *withParents(): Generator<SyncFolder> {
    yield this;
    if (this.parent) yield* this.parent.withParents();
  }

  keep(): void {
    for (const folder of this.withParents()) {
      if (folder.isKept) return;
      folder.isKept = true;
    }
  }

  need(): void {
    for (const folder of this.withParents()) {
      if (folder.isNeeded) return;
      folder.isNeeded = true;
    }
  }
}

/** A file on disk. */
export interface LocalFile {
  size: number;
  /** ms since 1970, with fractions. */
  mtimeMs: number;
}

/** A file on the drive. */
export interface RemoteFile {
  id: string;
  /** Bytes; undefined for Workspace documents, and if a custom service doesn't report it. */
  size: number | undefined;
  /** ms since 1970 */
  time: number | undefined;
  /** The bytes of a checksum, one per character, because that takes half the memory of hexadecimal digits. */
  checksum: string | undefined;
  isDocument: boolean;
}

/** A file of which at least one side is known. */
export interface SyncFile {
  folder: SyncFolder;
  /** On disk. */
  name: string;
  local: LocalFile | undefined;
  remote: RemoteFile | undefined;
  /** The disk can't store the name on the drive. */
  isRenamed: boolean;
}

export function filePath({ folder, name }: Pick<SyncFile, 'folder' | 'name'>): string {
  return folder.pathOf(name);
}
