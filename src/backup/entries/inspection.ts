/** Reads an archive or snapshot without writing anything: lists its entries, or checks them. */
import { type PathMatcher, createPathMatcher } from '../../core/globs/path-globs';
import { relativePath } from '../../fs/safe-name';
import { type Differences, FolderComparison } from './compare-folder';
import { badEntry } from './entry-problems';
import {
  addToTotals,
  type ArchiveTotals,
  type EntryVisitor,
  type ListedEntry,
  newTotals,
  type StoredEntry,
  toListed,
} from './entry';

/** What of an archive or snapshot is looked at, and how. */
export interface Selection {
  /** Globs for entries: see core/globs/path-globs.ts; none for all entries. */
  include: readonly string[];
  /** Returns the entries instead of checking them. */
  lists: boolean;
  /** Absolute path of a folder that is compared with the entries. */
  compareWith?: string | undefined;
}

export interface Inspected {
  totals: ArchiveTotals;
  differences?: Differences | undefined;
}

export interface InspectOutput {
  onEntry(totals: ArchiveTotals): void;
  /** Resolves when there is room for more. */
  send(entries: ListedEntry[]): Promise<void>;
}

/** Entries that are sent at once. */
const BATCH = 500;

/** @param read calls a visitor with the entries of the archive or snapshot that is named */
export async function inspectEntries(
  {
    include,
    lists,
    compareWith,
    name,
    read,
  }: Selection & { name: string; read: (visit: EntryVisitor) => Promise<void> },
  output: InspectOutput,
): Promise<Inspected> {
  const isIncluded: PathMatcher = include.length > 0 ? createPathMatcher(include) : () => true;
  const comparison = compareWith === undefined ? undefined : new FolderComparison(compareWith, isIncluded);
  const totals = newTotals();
  let batch: ListedEntry[] = [];
  const visit = async (entry: StoredEntry, content: AsyncIterable<Buffer>): Promise<number> => {
    const path = relativePath(entry.name) ?? entry.name;
    if (!lists) checkEntry(entry, name);
    const isSelected = isIncluded(path, entry.type === 'folder');
    if (isSelected) await comparison?.add(path, entry, content);
    addToTotals(totals, entry);
    if (lists && isSelected) batch.push(toListed(entry));
    if (batch.length === BATCH) {
      await output.send(batch);
      batch = [];
    }
    output.onEntry(totals);
    return 0;
  };
  await read(visit);
  if (batch.length > 0) await output.send(batch);
  return { totals, differences: await comparison?.finish() };
}

/** @throws `bad_response`, as if the entry were restored */
function checkEntry({ name, type, linkName }: StoredEntry, archive: string): void {
  const path = relativePath(name);
  if (path === undefined || (path === '' && type !== 'folder')) throw badEntry('path', archive, name);
  if (type === 'unsupported') throw badEntry('type', archive, name);
  if (type !== 'link') return;
  const target = relativePath(linkName);
  if (target === undefined || target === '' || target === path) throw badEntry('link', archive, name);
}
