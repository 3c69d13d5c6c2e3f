/** Files that somebody changes at random, each change with a name that no other has. */
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
  /** `event name` of each change that was made and is not told yet, by the file. */
  readonly pendingEmits = new Map<string, string>();
  /** All that were made. */
  readonly changes = new Set<string>();
  /** A change may be told before the answer to it is here. */
  private readonly emitted = new Set<string>();
  private readonly files: TestFile[] = [];
  /** What is told of them when it is killed comes once more: changed once more before that, two would come as one. */
  private readonly unchangedAfterKill = new Set<string>();
  private isKilling = false;

  constructor(
    private readonly drive: LocalDrive,
    /** Those that are watched; files move from one to the other. */
    private readonly folders: readonly string[],
    private readonly unwatchedFolder: string,
    private readonly random: Random,
  ) {}

  /** @param change `event name` of a file that has been told */
  markEmitted(id: string, change: string): void {
    this.emitted.add(change);
    if (this.pendingEmits.get(id) === change) this.pendingEmits.delete(id);
  }

  /** What changes from here on may be in flight when it is killed, and rests after that. */
  startKill(): void {
    this.unchangedAfterKill.clear();
    this.isKilling = true;
  }

  endKill(): void {
    this.isKilling = false;
  }

  /** One more change, of a file whose last change has been told: of several between two looks only the last is. */
  async change(): Promise<void> {
    const { random } = this;
    const name = `change ${this.changes.size + 1}`;
    const quiet = this.files.filter(
      ({ id }) => !this.pendingEmits.has(id) && !this.unchangedAfterKill.has(id),
    );
    // What nobody watches is changed too.
    if (random.chance(0.2)) await this.drive.files.add({ name, parent: this.unwatchedFolder });
    if (quiet.length < 10 || random.chance(0.3)) return this.create(name);
    const file = random.pick(quiet);
    const way = random.pick(file.isTrashed ? IN_TRASH : IN_FOLDER);
    await this[way](file, name);
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
    const address = `${this.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' };
    const answer = await fetch(address, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method}: ${answer.status}`);
  }
}
