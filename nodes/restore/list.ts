/** The action `list` of the restore node: the entries of an archive. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListedArchive, ListedEntry } from '../../src/index';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { readQuery, warnOfIndex } from './archive-query';
import type { RestoreConfig } from './restore.defaults';

interface EntryOutput {
  add(entries: ListedEntry[], archive: ListedArchive): Promise<void>;
  /** @returns false if entries were sent that can't be taken back */
  clear(): boolean;
  finish(archive: ListedArchive): void;
}

export async function listArchive(context: RunContext<RestoreConfig>): Promise<Outcome> {
  const { client, inputs, call } = context;
  const isEach = inputs.oneOf('output', ['array', 'each']) === 'each';
  const query = await readQuery(context);
  const output = isEach ? new EachOutput(context) : new ArrayOutput(context);
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
class ArrayOutput implements EntryOutput {
  private entries: ListedEntry[] = [];

  constructor(private readonly context: RunContext<RestoreConfig>) {}

  add(entries: ListedEntry[]): Promise<void> {
    for (const entry of entries) this.entries.push(entry);
    return Promise.resolve();
  }

  clear(): boolean {
    this.entries = [];
    return true;
  }

  finish(archive: ListedArchive): void {
    const { msg } = this.context;
    msg.payload = this.entries;
    msg['archive'] = archive;
    this.context.send(msg);
  }
}

/** One message for each entry, one step late, as list-output.ts does: the last message carries the count. */
class EachOutput implements EntryOutput {
  private readonly id: string;
  private index = 0;
  private pending: ListedEntry | undefined;

  constructor(private readonly context: RunContext<RestoreConfig>) {
    this.id = context.newId();
  }

  async add(entries: ListedEntry[], archive: ListedArchive): Promise<void> {
    for (const entry of entries) {
      this.sendPending(archive);
      this.pending = entry;
      await nextTurn();
    }
  }

  clear(): boolean {
    this.pending = undefined;
    return this.index === 0;
  }

  finish(archive: ListedArchive): void {
    this.sendPending(archive, { count: this.index + 1 });
  }

  private sendPending(archive: ListedArchive, last?: { count: number }): void {
    if (this.pending === undefined) return;
    const parts = { id: this.id, index: this.index++, type: 'array', len: 1, ...last };
    const { context, pending: payload } = this;
    context.send(Object.assign(context.cloneMessage(), { payload, archive: { ...archive }, parts }));
  }
}
