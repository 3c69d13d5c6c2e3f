import type { FileRecord, Role } from './file-record';

const NO_FILES: ReadonlySet<FileRecord> = new Set();

/** All files by id and by folder: in My Drive, in the app data folder and in shared drives. */
export class FileTree {
  protected readonly files = new Map<string, FileRecord>();
  protected readonly children = new Map<string, Set<FileRecord>>();
  protected readonly drives = new Set<string>();
  protected usedBytes = 0;
  protected root?: FileRecord;

  /** Id of the user's My Drive. */
  get rootId(): string {
    return this.root?.id ?? '';
  }

  /** Id of the hidden app data folder. */
  get appDataId(): string {
    return this.rootId.replace(/^0A/, '1D');
  }

  /** Whether it is My Drive, the app data folder or a shared drive. */
  isTopFolder(id: string): boolean {
    const { account, sharedDrive } = this.files.get(id) ?? {};
    return id === this.rootId || id === this.appDataId || (account ?? sharedDrive) !== undefined;
  }

  isSharedDrive(id: string): boolean {
    return this.files.get(id)?.sharedDrive !== undefined;
  }

  /** The top folders of all shared drives. */
  sharedDrives(): FileRecord[] {
    return [...this.drives].flatMap((id) => this.files.get(id) ?? []);
  }

  /** Id of the shared drive that a file is in; undefined for My Drive. */
  driveIdOf(record: FileRecord): string | undefined {
    if (this.drives.size === 0) return undefined;
    const top = this.topOf(record);
    return top.sharedDrive === undefined ? undefined : top.id;
  }

  /** The top folder of the drive that a file is in. */
  topOf(record: FileRecord): FileRecord {
    let top = record;
    for (let above = this.parentOf(top); above; above = this.parentOf(top)) top = above;
    return top;
  }

  /** The user's role: in the shared drive, in what another user shared, or as the owner of My Drive. */
  roleOf(record: FileRecord): Role {
    for (const { sharedDrive, sharedWithMe } of this.withAncestors(record)) {
      const role = sharedDrive ?? sharedWithMe?.role;
      if (role) return role;
    }
    return 'organizer';
  }

  isSharedWithMe({ sharedWithMe }: FileRecord): boolean {
    return sharedWithMe !== undefined;
  }

  /** Whether the file exists, but not for the one who asks. */
  isHidden(_id: string): boolean {
    return false;
  }

  /** Total size of all content, trash included. Shared drives don't count towards the user's storage. */
  get usage(): number {
    if (this.drives.size === 0) return this.usedBytes;
    let used = 0;
    for (const each of this.files.values())
      if (this.driveIdOf(each) === undefined) used += each.content?.size ?? 0;
    return used;
  }

  all(): IterableIterator<FileRecord> {
    return this.files.values();
  }

  /** @param id a file id, or one of the aliases `root` and `appDataFolder` */
  get(id: string): FileRecord | undefined {
    if (id === 'appDataFolder') return this.files.get(this.appDataId);
    return this.files.get(id === 'root' ? this.rootId : id);
  }

  /** The direct children of a folder. */
  childrenOf(id: string): ReadonlySet<FileRecord> {
    return this.children.get(id) ?? NO_FILES;
  }

  /** Whether the file or one of its ancestors is in the trash. */
  isTrashed(record: FileRecord): boolean {
    let each: FileRecord | undefined = record;
    while (each) {
      if (each.trashed) return true;
      each = each.parent === undefined ? undefined : this.files.get(each.parent);
    }
    return false;
  }

  /** Whether `id` is the folder or one of its descendants. */
  isWithin(id: string | undefined, folder: string): boolean {
    let each = id;
    while (each !== undefined) {
      if (each === folder) return true;
      each = this.files.get(each)?.parent;
    }
    return false;
  }

  /** The file and the folders that it is in, from the inside to the outside. */
  *withAncestors(record: FileRecord): Generator<FileRecord> {
    for (let each: FileRecord | undefined = record; each; each = this.parentOf(each)) yield each;
  }

  private parentOf({ parent }: FileRecord): FileRecord | undefined {
    return parent === undefined ? undefined : this.files.get(parent);
  }
}
