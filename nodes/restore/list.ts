/** The action `list` of the restore node: the entries of an archive, and how those of any backup are sent. */
import type { ListedArchive, ListedEntry } from '../../src/index';
import { itemOutput } from '../shared/runtime/list-output';
import type { RunContext } from '../shared/runtime/run-context';
import type { Outcome } from '../shared/runtime/status';
import { readQuery, warnOfIndex } from './archive-query';
import type { RestoreConfig } from './restore.defaults';

type Context = RunContext<RestoreConfig>;

/** @typeParam Backup what messages say of the archive or snapshot */
interface EntryOutput<Backup> {
  add(entries: readonly ListedEntry[], backup: Backup): Promise<void>;
  /** @returns false if entries were sent that can't be taken back */
  clear(): boolean;
  finish(backup: Backup): void;
}

/** @param property of the messages: the archive or the snapshot */
export function entryOutput<Backup extends object>(
  context: Context,
  property: 'archive' | 'snapshot',
): EntryOutput<Backup> {
  const output = itemOutput<ListedEntry>(context, context.inputs.oneOf('output', ['array', 'each']));
  // Each message has a copy of its own.
  const described = (backup: Backup): object => ({ [property]: Object.assign({}, backup) });
  return {
    add: (entries, backup) => output.add(entries, () => described(backup)),
    clear: () => output.clear(),
    finish: (backup) => void output.finish(described(backup)),
  };
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
