/** Makes random changes to files, each with a unique name. */
import type { Random } from '../../support/random';
import type { LocalDrive } from '../../local-drive';
import { ACCESS_TOKEN } from '../../support/node-red/account';

interface TestFile {
  id: string;
  name: string;
  parent: string;
  isTrashed: boolean;
}

const IN_TRASH = ['restore', 'remove'] as const;
const IN_FOLDER = ['edit', 'edit', 'move', 'trash', 'remove'] as const;

export class ChangingDrive {
  /** The change (`event name`) of each file that was not emitted yet. */
  readonly pendingEmits = new Map<string, string>();
  /** All changes. */
  readonly changes = new Set<string>();
  /** Emitted changes; a change may be emitted before its response arrives. */
  private readonly emitted = new Set<string>();
  private readonly files: TestFile[] = [];
  /** Files that must not change again until after the kill, because two changes would be emitted as one. */
  private readonly unchangedAfterKill = new Set<string>();
  private isKilling = false;

  constructor(
    private readonly drive: LocalDrive,
    /** The watched folders. */
    private readonly folders: readonly string[],
    private readonly unwatchedFolder: string,
    private readonly random: Random,
  ) {}

  /** @param change the emitted `event name` */
  markEmitted(id: string, change: string): void {
    this.emitted.add(change);
    if (this.pendingEmits.get(id) === change) this.pendingEmits.delete(id);
  }

  /** Changes from here on may be in flight during the kill; their files don't change again until after it. */
  startKill(): void {
    this.unchangedAfterKill.clear();
    this.isKilling = true;
  }

  endKill(): void {
    this.isKilling = false;
  }

  /** Changes a file without a pending change, because only the last change between two polls is emitted. */
  async change(): Promise<void> {
    const { random } = this;
    const name = `change ${this.changes.size + 1}`;
    const available = this.files.filter(
      ({ id }) => !this.pendingEmits.has(id) && !this.unchangedAfterKill.has(id),
    );
    // Changes outside the watched folders must not be emitted.
    if (random.chance(0.2)) await this.drive.files.add({ name, parent: this.unwatchedFolder });
    if (available.length < 10 || random.chance(0.3)) return this.create(name);
    const file = random.pick(available);
    const action = random.pick(file.isTrashed ? IN_TRASH : IN_FOLDER);
    await this[action](file, name);
  }

  private async create(name: string): Promise<void> {
    const parent = this.random.pick(this.folders);
    const id = await this.drive.files.add({ name, parent, content: name });
    this.files.push({ id, name, parent, isTrashed: false });
    this.recordChange('created', id, name);
  }

  private async edit(file: TestFile, name: string): Promise<void> {
    await this.patch(file, { name });
    this.recordChange('changed', file.id, name);
  }

  private async move(file: TestFile, name: string): Promise<void> {
    const to = this.random.pick(this.folders.filter((each) => each !== file.parent));
    await this.patch(file, { name }, { addParents: to, removeParents: file.parent });
    file.parent = to;
    this.recordChange('moved', file.id, name);
  }

  private async trash(file: TestFile, name: string): Promise<void> {
    await this.patch(file, { name, trashed: true });
    file.isTrashed = true;
    this.recordChange('trashed', file.id, name);
  }

  private async restore(file: TestFile, name: string): Promise<void> {
    await this.patch(file, { name, trashed: false });
    file.isTrashed = false;
    this.recordChange('changed', file.id, name);
  }

  private async remove(file: TestFile): Promise<void> {
    await this.request('DELETE', file.id);
    this.files.splice(this.files.indexOf(file), 1);
    this.recordChange('removed', file.id, file.name);
  }

  private async patch(file: TestFile, body: { name: string; trashed?: boolean }, query = {}): Promise<void> {
    await this.request('PATCH', file.id, body, query);
    file.name = body.name;
  }

  private recordChange(event: string, id: string, name: string): void {
    const change = `${event} ${name}`;
    this.changes.add(change);
    if (!this.emitted.has(change)) this.pendingEmits.set(id, change);
    if (this.isKilling) this.unchangedAfterKill.add(id);
  }

  private async request(method: string, id: string, body?: object, query = {}): Promise<void> {
    const url = `${this.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' };
    const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method}: ${response.status}`);
  }
}
