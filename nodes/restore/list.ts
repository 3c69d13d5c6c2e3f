/** The action `list` of the restore node: the entries of an archive, and how those of any backup are sent. */
import type { ListedArchive, ListedEntry } from '../../src/index';
import { ItemSender, MessageSize } from '../shared/runtime/list-output';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { readQuery, warnOfIndex } from './archive-query';
import type { RestoreConfig } from './restore.defaults';

/** @typeParam Backup what messages say of the archive or snapshot */
interface EntryOutput<Backup> {
  add(entries: ListedEntry[], backup: Backup): Promise<void>;
  /** @returns false if entries were sent that can't be taken back */
  clear(): boolean;
  finish(backup: Backup): void;
}

type Context = RunContext<RestoreConfig>;

/** @param property of the messages: the archive or the snapshot */
export function entryOutput<Backup extends object>(
  context: Context,
  property: 'archive' | 'snapshot',
): EntryOutput<Backup> {
  const isEach = context.inputs.oneOf('output', ['array', 'each']) === 'each';
  return isEach ? new EachOutput(context, property) : new ArrayOutput(context, property);
}

export async function listArchive(context: Context): Promise<Outcome> {
  const { client, call } = context;
  const output = entryOutput<ListedArchive>(context, 'archive');
  const query = await readQuery(context);
  const { onProgress, finish } = context.trackProgress({});
  const request = {
    ...query,
    onProgress,
    onEntry: context.showEntries,
    onEntries: (entries: ListedEntry[], archive: ListedArchive) => output.add(entries, archive),
    mayRepeat: () => output.clear(),
    onIndexIgnored: (reason: string) => warnOfIndex(context, reason),
  };
  const archive = await client.listArchive(request, call);
  finish(archive);
  output.finish(archive);
  const { entries = 0, bytes = 0, complete, indexed } = archive;
  return { text: context.results.archive(entries, bytes, complete, indexed), isPartial: !complete };
}

/** One message with all entries. */
class ArrayOutput<Backup extends object> implements EntryOutput<Backup> {
  private entries: ListedEntry[] = [];
  private size = new MessageSize();

  constructor(
    private readonly context: Context,
    private readonly property: string,
  ) {}

  add(entries: ListedEntry[]): Promise<void> {
    for (const entry of entries) {
      this.size.add(entry);
      this.entries.push(entry);
    }
    return Promise.resolve();
  }

  clear(): boolean {
    this.entries = [];
    this.size = new MessageSize();
    return true;
  }

  finish(backup: Backup): void {
    const { msg } = this.context;
    msg.payload = this.entries;
    msg[this.property] = backup;
    this.context.send(msg);
  }
}

/** One message for each entry. */
class EachOutput<Backup extends object> implements EntryOutput<Backup> {
  private readonly sender: ItemSender<ListedEntry>;

  constructor(
    context: Context,
    private readonly property: string,
  ) {
    this.sender = new ItemSender(context);
  }

  async add(entries: ListedEntry[], backup: Backup): Promise<void> {
    for (const entry of entries) await this.sender.add(entry, () => this.described(backup));
  }

  clear(): boolean {
    return this.sender.clear();
  }

  finish(backup: Backup): void {
    this.sender.finish(this.described(backup));
  }

  private described(backup: Backup): object {
    return { [this.property]: Object.assign({}, backup) };
  }
}
