import { join } from 'node:path';
import { ChangeLog } from './change-log';
import { FOLDER, type FileRecord, type Role } from './file-record';
import { FileTree } from './file-tree';
import { newFileId } from './ids';
import { Journal } from './journal';

/** A line of the journal: the new state of a file, or its removal. */
type JournalEntry = { file: FileRecord } | ({ removed: string } & Removal);

/** When a file was deleted, and the shared drive it was in. */
interface Removal {
  change: number;
  time: number;
  driveId?: string;
}

/** The properties of a new file; all others have defaults. */
export type NewFile = Pick<FileRecord, 'name' | 'mimeType' | 'createdTime' | 'modifiedTime'> &
  Partial<Omit<FileRecord, 'order' | 'change' | 'changeTime' | 'version'>>;

/** The metadata of all files, in memory and in a journal on disk. */
export class FileStore extends FileTree {
  private readonly removals = new Map<string, Removal>();
  readonly changes = new ChangeLog();
  private lastChange = 0;
  private lastOrder = 0;
  /** Lines replayed at the start. If they far outnumber the files, the journal is rewritten. */
  private replayedEntries = 0;

  private constructor(
    private journal: Journal<JournalEntry>,
    private readonly now: () => number,
  ) {
    super();
  }

  static async open(dir: string, now: () => number): Promise<FileStore> {
    const entries: JournalEntry[] = [];
    const journal = await Journal.open<JournalEntry>(join(dir, 'files.jsonl'), (entry) =>
      entries.push(entry),
    );
    const store = new FileStore(journal, now);
    for (const entry of entries) store.replay(entry);
    if (store.replayedEntries > 2 * store.files.size + 1000) await journal.rewrite(store.snapshot());
    store.root = [...store.files.values()].find((each) => each.order === 0);
    if (!store.root) await store.createRoot();
    store.addAppDataFolder();
    return store;
  }

  /** A shared drive has the id of its top folder. */
  addSharedDrive(name: string, role: Role): Promise<FileRecord> {
    const now = this.now();
    const id = `0A${newFileId().slice(1, 12)}Uk9PVA`;
    return this.create({
      id,
      name,
      mimeType: FOLDER,
      createdTime: now,
      modifiedTime: now,
      sharedDrive: role,
    });
  }

  /** The top folder of a service account's My Drive, created at its first request. */
  async accountRoot(account: string): Promise<FileRecord> {
    const existing = [...this.files.values()].find((each) => each.account === account);
    if (existing) return existing;
    const now = this.now();
    const id = `0A${newFileId().slice(1, 18)}`;
    const times = { createdTime: now, modifiedTime: now };
    return this.create({ id, name: 'My Drive', mimeType: FOLDER, ...times, account });
  }

  /** Number of the next change. */
  get nextChange(): number {
    return this.lastChange + 1;
  }

  /** The removal of a deleted file. */
  removal(id: string): Removal | undefined {
    return this.removals.get(id);
  }

  /** Adds a file; resolves once it is stored. */
  async create(file: NewFile): Promise<FileRecord> {
    const record: FileRecord = {
      id: newFileId(),
      trashed: false,
      starred: false,
      properties: {},
      appProperties: {},
      ...file,
      order: ++this.lastOrder,
      version: 1,
      ...this.stamp(),
    };
    this.index(record);
    await this.journal.append({ file: record });
    return record;
  }

  /** Updates a file; resolves once the update is stored. */
  async update(record: FileRecord, changes: Partial<FileRecord>): Promise<void> {
    const before = this.driveIdOf(record);
    this.unindex(record);
    Object.assign(record, changes, { version: record.version + 1 }, this.stamp());
    this.index(record);
    if (this.driveIdOf(record) !== before)
      record.formerDrives = [...(record.formerDrives ?? []), before ?? ''];
    await this.journal.append({ file: record });
  }

  /** Stores computed values such as digests, without a new version or an entry in the changes feed. */
  async persist(record: FileRecord): Promise<void> {
    if (this.files.get(record.id) === record) await this.journal.append({ file: record });
  }

  /** Deletes a file, or a folder with all its contents. @returns the deleted records */
  async remove(record: FileRecord): Promise<FileRecord[]> {
    const deleted: FileRecord[] = [record];
    for (const each of deleted) deleted.push(...this.childrenOf(each.id));
    const appended = deleted.reverse().map((each) => {
      const { change, changeTime: time } = this.stamp();
      const driveId = this.driveIdOf(each);
      const entry = { removed: each.id, change, time, driveId };
      this.forget(entry);
      return this.journal.append(entry);
    });
    await Promise.all(appended);
    return deleted;
  }

  async close(): Promise<void> {
    await this.journal.close();
  }

  private async createRoot(): Promise<void> {
    const now = this.now();
    this.lastOrder = -1;
    this.root = await this.create({
      id: `0A${newFileId().slice(1, 18)}`,
      name: 'My Drive',
      mimeType: FOLDER,
      createdTime: now,
      modifiedTime: now,
    });
  }

  /** The folder is created at each start and never stored. */
  private addAppDataFolder(): void {
    const root = this.files.get(this.rootId);
    if (!root) return;
    this.files.set(this.appDataId, { ...root, id: this.appDataId, name: 'Application Data', order: -1 });
  }

  private stamp(): { change: number; changeTime: number } {
    return { change: ++this.lastChange, changeTime: this.now() };
  }

  private replay(entry: JournalEntry): void {
    this.replayedEntries += 1;
    if ('removed' in entry) {
      this.lastChange = Math.max(this.lastChange, entry.change);
      this.forget(entry);
      return;
    }
    const { file } = entry;
    const previous = this.files.get(file.id);
    if (previous) this.unindex(previous);
    this.lastChange = Math.max(this.lastChange, file.change);
    this.lastOrder = Math.max(this.lastOrder, file.order);
    this.index(file);
  }

  private forget({ removed, ...removal }: { removed: string } & Removal): void {
    const record = this.files.get(removed);
    if (record) this.unindex(record);
    this.files.delete(removed);
    this.children.delete(removed);
    this.drives.delete(removed);
    this.removals.set(removed, removal);
    this.changes.record(removed, removal.change);
  }

  private index(record: FileRecord): void {
    this.files.set(record.id, record);
    this.changes.record(record.id, record.change);
    if (record.sharedDrive !== undefined) this.drives.add(record.id);
    this.usedBytes += record.content?.size ?? 0;
    if (record.parent === undefined) return;
    let siblings = this.children.get(record.parent);
    if (!siblings) this.children.set(record.parent, (siblings = new Set()));
    siblings.add(record);
  }

  private unindex(record: FileRecord): void {
    this.usedBytes -= record.content?.size ?? 0;
    if (record.parent !== undefined) this.children.get(record.parent)?.delete(record);
  }

  private *snapshot(): Generator<JournalEntry> {
    for (const [removed, removal] of this.removals) yield { removed, ...removal };
    for (const file of this.files.values()) if (file.order >= 0) yield { file };
  }
}
