/** Lists the entries of an archive of the drive. */
import { CHECKSUM_FIELDS } from '../drive/checksums';
import { withFields } from '../drive/fields';
import { type ArchiveIndex, indexedToListed } from './archive/archive-index';
import { cancelled } from '../errors';
import { Calendar } from './retention/calendar';
import { createPathMatcher } from '../core/globs/path-globs';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { describeArchive, localDay } from './archive-file';
import { type StreamContext, streamArchive } from './archive-stream';
import { isReplaced, withIndex } from './indexed-archive';
import { type ArchiveQuery, selectArchive } from './select-archive';
import type { ArchiveTotals, ListedEntry } from './entries/entry';

export interface ArchiveListRequest extends ArchiveQuery {
  /** Globs for entries; none for all. */
  include: readonly string[];
  passphrase?: string | undefined;
  identities?: readonly string[];
  onProgress?: OnProgress;
  onEntry?: (totals: ArchiveTotals) => void;
  /** With some of the entries. The next ones follow when its promise resolves. */
  onEntries: (entries: ListedEntry[], archive: ListedArchive) => Promise<void>;
  /** The archive was replaced while it was read. @returns whether its entries may be sent again from the first one */
  mayRepeat: () => boolean;
  /** The archive is read completely, although it has an index. */
  onIndexIgnored?: (reason: string) => void;
}

/** The file, and what its name and its content say about it. */
export interface ListedArchive extends DriveFile {
  number: number | null;
  /** `2026-11-22` */
  date: string | null;
  complete: boolean;
  /** Whether the list comes from the index of the archive, without reading all of it. */
  indexed: boolean;
  /** All of the archive, once they are known. */
  entries?: number;
  bytes?: number;
}

/** @throws as checkArchive */
export async function listArchive(
  context: StreamContext,
  request: ArchiveListRequest,
  call: CallOptions,
): Promise<ListedArchive> {
  const { fields, include, passphrase, identities = [], onProgress, onEntry, onEntries, mayRepeat } = request;
  const query = { ...request, fields: withFields(fields, CHECKSUM_FIELDS) };
  const { file } = await selectArchive(context.drive, query, call);
  const indexed = await listIndexed(context, request, file, call).catch((error: unknown) => {
    // Reading all of it starts with its current content.
    if (isReplaced(error) && mayRepeat()) return undefined;
    throw error;
  });
  if (indexed) return indexed;
  const { file: read, totals } = await streamArchive(
    context,
    {
      download: { id: file.id, fields, acknowledgeAbuse: false, ...(onProgress && { onProgress }) },
      job: { secrets: { passphrase, identities }, include, lists: true },
      onEntry,
      onEntries: (entries) => onEntries(entries, toListedArchive(file, false)),
      mayRepeat,
    },
    call,
  );
  const { entries, bytes } = totals;
  return { ...toListedArchive({ ...file, ...read }, false), entries, bytes };
}

async function listIndexed(
  { drive, transfers }: StreamContext,
  { fields, include, passphrase, identities = [], onEntries, onIndexIgnored }: ArchiveListRequest,
  file: DriveFile,
  call: CallOptions,
): Promise<ListedArchive | undefined> {
  const isIncluded = include.length > 0 ? createPathMatcher(include) : () => true;
  const list = async (index: ArchiveIndex): Promise<ListedArchive> => {
    await index.verifyLast();
    const { entries, bytes } = index.totals;
    const archive = { ...toListedArchive(file, true), entries, bytes };
    for await (const entries of index.entries()) {
      const selected = entries.filter(({ path, type }) => isIncluded(path, type === 'folder'));
      if (call.signal?.aborted) throw cancelled();
      if (selected.length > 0) await onEntries(selected.map(indexedToListed), archive);
    }
    return archive;
  };
  const request = { file, secrets: { passphrase, identities }, fields, onIndexIgnored };
  return transfers.run(() => withIndex(drive, request, list, call), call.signal);
}

function toListedArchive(file: DriveFile, indexed: boolean): ListedArchive {
  const { number, time, isComplete } = describeArchive(file, new Calendar(''));
  return { ...file, number, date: time === null ? null : localDay(time), complete: isComplete, indexed };
}
