/** Files that somebody changes at random, each change with a name that no other has. */
import type { Random } from '../../faults/random';
import type { LocalDrive } from '../../local-drive';
import { ACCESS_TOKEN } from '../../support/node-red/account';

interface Changing {
  id: string;
  name: string;
  parent: string;
  isTrashed: boolean;
}

const IN_TRASH = ['restore', 'remove'] as const;
const IN_FOLDER = ['edit', 'edit', 'move', 'trash', 'remove'] as const;

export class ChangingDrive {
  /** `event name` of each change that was made and is not told yet, by the file. */
  readonly untold = new Map<string, string>();
  /** All that were made. */
  readonly made = new Set<string>();
  /** A change may be told before the answer to it is here. */
  private readonly heard = new Set<string>();
  private readonly files: Changing[] = [];
  /** What is told of them when it is killed comes once more: changed once more before that, two would come as one. */
  private readonly resting = new Set<string>();
  private isKilling = false;

  constructor(
    private readonly drive: LocalDrive,
    /** Those that are watched; files move from one to the other. */
    private readonly folders: readonly string[],
    private readonly elsewhere: string,
    private readonly random: Random,
  ) {}

  /** @param change `event name` of a file that has been told */
  told(id: string, change: string): void {
    this.heard.add(change);
    if (this.untold.get(id) === change) this.untold.delete(id);
  }

  /** What changes from here on may be in flight when it is killed, and rests after that. */
  beginKill(): void {
    this.resting.clear();
    this.isKilling = true;
  }

  killed(): void {
    this.isKilling = false;
  }

  /** One more change, of a file whose last change has been told: of several between two looks only the last is. */
  async change(): Promise<void> {
    const { random } = this;
    const name = `change ${this.made.size + 1}`;
    const quiet = this.files.filter(({ id }) => !this.untold.has(id) && !this.resting.has(id));
    // What nobody watches is changed too.
    if (random.chance(0.2)) await this.drive.files.add({ name, parent: this.elsewhere });
    if (quiet.length < 10 || random.chance(0.3)) return this.create(name);
    const file = random.pick(quiet);
    const way = random.pick(file.isTrashed ? IN_TRASH : IN_FOLDER);
    await this[way](file, name);
  }

  private async create(name: string): Promise<void> {
    const parent = this.random.pick(this.folders);
    const id = await this.drive.files.add({ name, parent, content: name });
    this.files.push({ id, name, parent, isTrashed: false });
    this.note('created', id, name);
  }

  private async edit(file: Changing, name: string): Promise<void> {
    await this.patch(file, { name });
    this.note('changed', file.id, name);
  }

  private async move(file: Changing, name: string): Promise<void> {
    const to = this.random.pick(this.folders.filter((each) => each !== file.parent));
    await this.patch(file, { name }, { addParents: to, removeParents: file.parent });
    file.parent = to;
    this.note('moved', file.id, name);
  }

  private async trash(file: Changing, name: string): Promise<void> {
    await this.patch(file, { name, trashed: true });
    file.isTrashed = true;
    this.note('trashed', file.id, name);
  }

  private async restore(file: Changing, name: string): Promise<void> {
    await this.patch(file, { name, trashed: false });
    file.isTrashed = false;
    this.note('changed', file.id, name);
  }

  private async remove(file: Changing): Promise<void> {
    await this.request('DELETE', file.id);
    this.files.splice(this.files.indexOf(file), 1);
    this.note('removed', file.id, file.name);
  }

  private async patch(file: Changing, body: { name: string; trashed?: boolean }, query = {}): Promise<void> {
    await this.request('PATCH', file.id, body, query);
    file.name = body.name;
  }

  private note(event: string, id: string, name: string): void {
    const change = `${event} ${name}`;
    this.made.add(change);
    if (!this.heard.has(change)) this.untold.set(id, change);
    if (this.isKilling) this.resting.add(id);
  }

  private async request(method: string, id: string, body?: object, query = {}): Promise<void> {
    const address = `${this.drive.url}/drive/v3/files/${id}?${new URLSearchParams(query).toString()}`;
    const headers = { Authorization: `Bearer ${ACCESS_TOKEN}`, 'Content-Type': 'application/json' };
    const answer = await fetch(address, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    if (!answer.ok) throw new Error(`${method}: ${answer.status}`);
  }
}
