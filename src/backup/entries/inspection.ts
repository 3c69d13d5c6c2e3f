/** Reads an archive to its end without writing anything, in a worker thread: lists its entries, or checks them. */
import { IndexCheck } from '../archive/archive-index';
import { type PathMatcher, createPathMatcher } from '../../core/globs/path-globs';
import { relativePath } from '../../fs/safe-name';
import { type Differences, FolderComparison } from './compare-folder';
import { badEntry } from './entry-problems';
import { type ArchiveTotals, type ListedEntry, addToTotals, newTotals, toListed } from './listed-entry';
import { damaged, type NamedArchive } from '../archive/open-archive';
import { type EntryVisitor, type TarEntry, readArchive } from '../archive/read-archive';
import { DriveError } from '../../errors';
import { readablePath } from '../../fs/path-bytes';

export interface InspectJob extends NamedArchive, Selection {}

/** What of an archive or snapshot is looked at, and how. */
export interface Selection {
  /** Globs for entries: see search/path-globs.ts; none for all entries. */
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

/**
 * @throws `bad_response` for an archive that is damaged, or contains what can't be restored safely; `invalid_input`, …
 */
export async function inspect(
  job: InspectJob,
  chunks: AsyncIterable<Buffer>,
  output: InspectOutput,
): Promise<Inspected> {
  const { name, lists } = job;
  const comparison = lists ? undefined : new IndexCheck(name);
  // Nothing is written, so there is no limit for what is.
  const read = (visit: EntryVisitor): Promise<void> =>
    readArchive({ ...job, chunks }, visit, { maxRatio: 0, comparison });
  const inspected = await inspectEntries({ ...job, read }, output);
  const reason = await comparison?.finish();
  if (reason === undefined) return inspected;
  throw new DriveError('bad_response', { text: 'bad_response_archive_index', params: { name, reason } });
}

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
  let last = '';
  const visit = async (entry: TarEntry, content: AsyncIterable<Buffer>): Promise<number> => {
    last = entry.name;
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
  try {
    await read(visit);
  } catch (error) {
    throw atEntry(error, name, last);
  }
  if (batch.length > 0) await output.send(batch);
  return { totals, differences: await comparison?.finish() };
}

/** @throws `bad_response`, as if the entry were restored */
function checkEntry({ name, type, linkName }: TarEntry, archive: string): void {
  const path = relativePath(name);
  if (path === undefined || (path === '' && type !== 'folder')) throw badEntry('path', archive, name);
  if (type === 'unsupported') throw badEntry('type', archive, name);
  if (type !== 'link') return;
  const target = relativePath(linkName);
  if (target === undefined || target === '' || target === path) throw badEntry('link', archive, name);
}

/** Adds after which entry the damage was noticed. */
function atEntry(error: unknown, archive: string, last: string): unknown {
  if (!(error instanceof DriveError) || last === '') return error;
  const { reason } = error.params;
  const at = `after ${readablePath(last).slice(0, 200)}`;
  if (error.text === 'bad_response_archive_damaged') return damaged(archive, `${String(reason)}, ${at}`);
  if (error.text === 'bad_response_archive_truncated') return damaged(archive, `truncated ${at}`);
  if (error.text === 'bad_response_age')
    return error.with({ params: { reason: `${String(reason)}, ${at}` } });
  return error;
}
