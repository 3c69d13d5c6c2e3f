/** Who is in which folder. */
import type { FileRecord } from './file-record';

const NO_FILES: ReadonlySet<FileRecord> = new Set();

/** What there is, by id and by folder: in My Drive, in the client's hidden folder and in shared drives. */
export class FileTree {
  protected readonly files = new Map<string, FileRecord>();
  protected readonly children = new Map<string, Set<FileRecord>>();
  protected readonly drives = new Set<string>();
  protected usedBytes = 0;
  protected root?: FileRecord;

  /** The person's own top folder, "My Drive"; the only one without a parent from the start. */
  get rootId(): string {
    return this.root?.id ?? '';
  }

  /** The hidden folder of the client. */
  get appDataId(): string {
    return this.rootId.replace(/^0A/, '1D');
  }

  /** Whether it is one of the folders that everything else is in. */
  isTopFolder(id: string): boolean {
    return id === this.rootId || id === this.appDataId || this.isSharedDrive(id);
  }

  isSharedDrive(id: string): boolean {
    return this.files.get(id)?.sharedDrive !== undefined;
  }

  /** Their top folders. */
  sharedDrives(): FileRecord[] {
    return [...this.drives].flatMap((id) => this.files.get(id) ?? []);
  }

  /** The shared drive that a file is in; undefined for My Drive. */
  driveIdOf(record: FileRecord): string | undefined {
    if (this.drives.size === 0) return undefined;
    let top: FileRecord = record;
    for (let above = this.parentOf(top); above; above = this.parentOf(top)) top = above;
    return top.sharedDrive === undefined ? undefined : top.id;
  }

  /** Bytes of all content, trash included; shared drives have storage of their own. */
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

  /** By id; `root` stands for the top folder, `appDataFolder` for the hidden one. */
  get(id: string): FileRecord | undefined {
    if (id === 'appDataFolder') return this.files.get(this.appDataId);
    return this.files.get(id === 'root' ? this.rootId : id);
  }

  /** What lies directly in a folder, in the order of creation. */
  childrenOf(id: string): ReadonlySet<FileRecord> {
    return this.children.get(id) ?? NO_FILES;
  }

  /** Whether the file or a folder above it is in the trash. */
  isTrashed(record: FileRecord): boolean {
    let each: FileRecord | undefined = record;
    while (each) {
      if (each.trashed) return true;
      each = each.parent === undefined ? undefined : this.files.get(each.parent);
    }
    return false;
  }

  /** Whether `id` is the folder itself or lies below it. */
  isWithin(id: string | undefined, folder: string): boolean {
    let each = id;
    while (each !== undefined) {
      if (each === folder) return true;
      each = this.files.get(each)?.parent;
    }
    return false;
  }

  private parentOf({ parent }: FileRecord): FileRecord | undefined {
    return parent === undefined ? undefined : this.files.get(parent);
  }
}
