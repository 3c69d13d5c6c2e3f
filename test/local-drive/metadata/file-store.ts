import { join } from 'node:path';
import { ChangeLog } from './change-log';
import { FOLDER, type FileRecord } from './file-record';
import { newFileId } from './ids';
import { Journal } from './journal';

/** A line of the journal: a file's new state, or that it is gone for ever. */
type JournalEntry = { file: FileRecord } | { removed: string; change: number; time: number };

/** What a new file starts with; the rest has defaults. */
export type NewFile = Pick<FileRecord, 'name' | 'mimeType' | 'createdTime' | 'modifiedTime'> &
  Partial<Omit<FileRecord, 'order' | 'change' | 'changeTime' | 'version'>>;

const NO_FILES: ReadonlySet<FileRecord> = new Set();

/** All metadata: in memory, indexed by id and by parent, and in a journal on disk. */
export class FileStore {
  private readonly files = new Map<string, FileRecord>();
  private readonly children = new Map<string, Set<FileRecord>>();
  private readonly removals = new Map<string, { change: number; time: number }>();
  readonly changes = new ChangeLog();
  private lastChange = 0;
  private lastOrder = 0;
  private usedBytes = 0;
  /** Lines replayed at the start: many more than files means the journal is worth rewriting. */
  private replayed = 0;
  private root?: FileRecord;

  private constructor(
    private journal: Journal<JournalEntry>,
    private readonly now: () => number,
  ) {}

  static async open(dir: string, now: () => number): Promise<FileStore> {
    const entries: JournalEntry[] = [];
    const journal = await Journal.open<JournalEntry>(join(dir, 'files.jsonl'), (entry) =>
      entries.push(entry),
    );
    const store = new FileStore(journal, now);
    for (const entry of entries) store.replay(entry);
    if (store.replayed > 2 * store.files.size + 1000) await journal.rewrite(store.snapshot());
    store.root = [...store.files.values()].find((each) => each.order === 0);
    if (!store.root) await store.createRoot();
    store.addAppData();
    return store;
  }

  /** The person's own top folder, "My Drive"; the only one without a parent from the start. */
  get rootId(): string {
    return this.root?.id ?? '';
  }

  /** The hidden folder of the client. */
  get appDataId(): string {
    return this.rootId.replace(/^0A/, '1D');
  }

  /** Whether it is one of the folders that everything else is in. */
  isTop(id: string): boolean {
    return id === this.rootId || id === this.appDataId;
  }

  /** Bytes of all content, trash included. */
  get usage(): number {
    return this.usedBytes;
  }

  /** Number that the next change will have. */
  get nextChange(): number {
    return this.lastChange + 1;
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

  /** The removal of a file that is gone. */
  removal(id: string): { change: number; time: number } | undefined {
    return this.removals.get(id);
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

  /** Adds a file; resolves when it is on disk. */
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

  /** Changes a file; resolves when that is on disk. */
  async update(record: FileRecord, changes: Partial<FileRecord>): Promise<void> {
    this.unindex(record);
    Object.assign(record, changes, { version: record.version + 1 }, this.stamp());
    this.index(record);
    await this.journal.append({ file: record });
  }

  /** Keeps something that was computed, a digest say: no change that anyone could see. */
  async keep(record: FileRecord): Promise<void> {
    if (this.files.get(record.id) === record) await this.journal.append({ file: record });
  }

  /** Removes a file, and a folder with everything in it; returns what is gone. */
  async remove(record: FileRecord): Promise<FileRecord[]> {
    const gone: FileRecord[] = [record];
    for (const each of gone) gone.push(...this.childrenOf(each.id));
    const appended = gone.reverse().map((each) => {
      const { change, changeTime: time } = this.stamp();
      const entry = { removed: each.id, change, time };
      this.forget(entry);
      return this.journal.append(entry);
    });
    await Promise.all(appended);
    return gone;
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

  /** Made anew at each start: no change that anyone could see. */
  private addAppData(): void {
    const root = this.files.get(this.rootId);
    if (!root) return;
    this.files.set(this.appDataId, { ...root, id: this.appDataId, name: 'Application Data', order: -1 });
  }

  private stamp(): { change: number; changeTime: number } {
    return { change: ++this.lastChange, changeTime: this.now() };
  }

  private replay(entry: JournalEntry): void {
    this.replayed += 1;
    if ('removed' in entry) {
      this.lastChange = Math.max(this.lastChange, entry.change);
      this.forget(entry);
      return;
    }
    const { file } = entry;
    const known = this.files.get(file.id);
    if (known) this.unindex(known);
    this.lastChange = Math.max(this.lastChange, file.change);
    this.lastOrder = Math.max(this.lastOrder, file.order);
    this.index(file);
  }

  private forget({ removed, change, time }: { removed: string; change: number; time: number }): void {
    const record = this.files.get(removed);
    if (record) this.unindex(record);
    this.files.delete(removed);
    this.children.delete(removed);
    this.removals.set(removed, { change, time });
    this.changes.record(removed, change);
  }

  private index(record: FileRecord): void {
    this.files.set(record.id, record);
    this.changes.record(record.id, record.change);
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
    for (const [removed, { change, time }] of this.removals) yield { removed, change, time };
    for (const file of this.files.values()) if (file.order >= 0) yield { file };
  }
}
