/** Lists the entries of an archive of the drive. */
import { Calendar } from '../retention/calendar';
import type { ArchiveTotals, ListedEntry } from '../archive/listed-entry';
import type { CallOptions, DriveFile, OnProgress } from '../types';
import { describeArchive, localDay } from './archive-file';
import { type StreamContext, streamArchive } from './archive-stream';
import { type ArchiveQuery, selectArchive } from './select-archive';

export interface ListRequest extends ArchiveQuery {
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
  request: ListRequest,
  call: CallOptions,
): Promise<ListedArchive> {
  const { fields, include, passphrase, identities = [], onProgress, onEntry, onEntries, mayRepeat } = request;
  const { file } = await selectArchive(context.drive, request, call);
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

function toListedArchive(file: DriveFile, indexed: boolean): ListedArchive {
  const { number, time, isComplete } = describeArchive(file, new Calendar(''));
  return { ...file, number, date: time === null ? null : localDay(time), complete: isComplete, indexed };
}
