/**
 * Selects the archive to restore: the newest of a folder, one by its number (`{number}`) or its date, or a given file. A
 * number must be equal to the archive's. How a text such as `42` finds names: src/drive/name-matcher.ts.
 */
import { types } from 'node:util';
import { DriveError, LocalTime, uncheckedError } from '../errors';
import type { DriveContext } from '../drive/drive-context';
import { withFields } from '../drive/fields';
import { itemKind } from '../drive/mime-types';
import { readComplete } from '../drive/list';
import { getMetadataIfSupported } from '../drive/metadata';
import { followShortcut, shortcutFields } from '../drive/shortcuts';
import { Calendar } from './retention/calendar';
import { searchFiles } from '../drive/search';
import type { CallOptions, DriveFile } from '../types';
import { type ArchiveFile, describeArchive, isArchiveName } from './archive-file';
import { DAY } from '../core/clock';

/** Which archive of the folder. */
export type ArchiveChoice =
  | { which: 'newest' }
  | { which: 'number'; number: number }
  /** The newest archive that is not newer than `until`, in ms since 1970; see {@link parseUntil}. */
  | { which: 'date'; until: number }
  | { which: 'file'; fileId: string };

export interface ArchiveQuery {
  choice: ArchiveChoice;
  folderId: string;
  /** As the user gave it, for error messages. */
  folderName: string;
  /** Glob for names of archives. */
  pattern: string;
  fields: string;
  /** Whether an incomplete archive may be selected by its name, too. */
  allowIncomplete?: boolean | undefined;
}

/**
 * By default, an incomplete archive can be selected only as a file.
 *
 * @throws `not_found` if no archive matches, `conflict` if the number belongs to archives of several names,
 *   `invalid_input` for a file that isn't an archive, `bad_response` for a list that stays incomplete
 */
export async function selectArchive(
  drive: DriveContext,
  query: ArchiveQuery,
  call: CallOptions,
): Promise<ArchiveFile> {
  const { choice } = query;
  const calendar = new Calendar('');
  if (choice.which === 'file') {
    const file = await getArchive(drive, { id: choice.fileId, fields: query.fields }, call);
    return describeArchive(file, calendar);
  }
  const selection = await listArchives(drive, query, { calendar }, call);
  if (choice.which === 'number') selection.rejectSeveralNames(choice.number);
  if (!selection.best) throw notFound(query, choice, selection.incomplete);
  return selection.best;
}

export interface FoundArchives {
  /** Newest first. */
  archives: ArchiveFile[];
  /** What {@link selectArchive} would select; undefined if that fails. */
  selected: ArchiveFile | undefined;
}

/**
 * Lists all archives of the folder. Those that `choice` doesn't match are listed too.
 * @throws `bad_response` for a list that stays incomplete
 */
export async function findArchives(
  drive: DriveContext,
  query: ArchiveQuery,
  call: CallOptions,
): Promise<FoundArchives> {
  const archives: ArchiveFile[] = [];
  const calendar = new Calendar('');
  const selection = await listArchives(
    drive,
    query,
    { calendar, onStart: () => (archives.length = 0), onArchive: (archive) => archives.push(archive) },
    call,
  );
  const selected = selection.hasSeveralNames ? undefined : selection.best;
  return { archives: archives.sort((one, other) => byTime(other, one)), selected };
}

/**
 * Reads the date of a `date` choice. A day means its end, in this machine's time zone; so does a time without a zone.
 * @param value a Date, ms since 1970, or text such as `2026-11-22` or `2026-11-22T02:30:00Z`
 * @returns ms since 1970; undefined if the value is no date
 */
export function parseUntil(value: unknown): number | undefined {
  if (typeof value === 'number' || types.isDate(value)) return validTime(Number(value));
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const [, year, separator, month, day] = /^(\d{4})([-_./]?)(\d{2})\2(\d{2})$/.exec(text) ?? [];
  if (separator === undefined)
    return /^\d{4}-\d\d-\d\d[T ]/.test(text) ? validTime(Date.parse(text)) : undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(day));
  if (start.getMonth() !== Number(month) - 1) return undefined;
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1).getTime() - 1;
}

/** @returns whole milliseconds: a number from the message may have a fraction */
function validTime(time: number): number | undefined {
  return Number.isNaN(new Date(time).getTime()) ? undefined : Math.floor(time);
}

async function getArchive(
  drive: DriveContext,
  { id, fields }: { id: string; fields: string },
  call: CallOptions,
): Promise<DriveFile> {
  const required = withFields(fields, [...ARCHIVE_FIELDS, ...shortcutFields(drive.service)]);
  const found = await getMetadataIfSupported(drive, id, required, call);
  if (!found) return { id };
  const file = await followShortcut(drive, found, required, call);
  const name = file.name ?? id;
  if (isArchive(drive, file)) return file;
  throw new DriveError('invalid_input', { text: 'invalid_input_no_archive', params: { name } });
}

const ARCHIVE_FIELDS = ['name', 'mimeType', 'createdTime', 'modifiedTime'];

function isArchive({ service }: DriveContext, { name = '', mimeType }: DriveFile): boolean {
  return isArchiveName(name) && itemKind(service, mimeType) === 'file';
}

/** The newest of the archives seen so far. */
class Selection {
  /** The newest of each series; with a date, only on the latest day. */
  private readonly newest = new Map<string, ArchiveFile>();
  private day = -Infinity;
  /** Name of an archive that would match if it were complete. */
  incomplete: string | undefined;
  /** By series. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly choice: ArchiveChoice,
    private readonly calendar: Calendar,
    private readonly allowIncomplete: boolean,
  ) {}

  add(archive: ArchiveFile): void {
    if (!this.isMatch(archive)) return;
    const { file, series, time } = archive;
    if (!archive.isComplete && !this.allowIncomplete) {
      this.incomplete ??= file.name;
      return;
    }
    if (this.choice.which === 'number') this.names.set(series, file.name ?? '');
    if (this.choice.which === 'date') {
      const day = time === null ? -Infinity : this.calendar.periodOf(time, 'day');
      if (day < this.day) return;
      if (day > this.day) this.newest.clear();
      this.day = day;
    }
    const isNewer = this.choice.which === 'date' ? isLaterInSeries : isNewerInSeries;
    const other = this.newest.get(series);
    if (!other || isNewer(archive, other)) this.newest.set(series, archive);
  }

  /** The numbers of different series have nothing to do with each other. */
  get best(): ArchiveFile | undefined {
    const [first, ...others] = this.newest.values();
    const order = this.choice.which === 'date' ? byTime : byStorage;
    const isNewer = (one: ArchiveFile, than: ArchiveFile): boolean =>
      (order(one, than) || (one.series > than.series ? 1 : -1)) > 0;
    return others.reduce((best, each) => (best && !isNewer(each, best) ? best : each), first);
  }

  /** Whether a number belongs to archives of several names. */
  get hasSeveralNames(): boolean {
    return this.names.size > 1;
  }

  /** @throws `conflict`: restoring another folder's archive could replace the wrong files */
  rejectSeveralNames(number: number): void {
    if (!this.hasSeveralNames) return;
    const params = { number, names: [...this.names.values()].slice(0, 5).join(', ') };
    throw new DriveError('conflict', { text: 'conflict_archive_number', params });
  }

  private isMatch({ number, time }: ArchiveFile): boolean {
    const { choice } = this;
    if (choice.which === 'number') return number === choice.number;
    if (choice.which === 'date') return time !== null && time <= choice.until;
    return true;
  }
}

/**
 * @param archive of the same series as the other one. Its number decides, otherwise the service's
 *   clock: this machine's may have been wrong when it was named.
 */
function isNewerInSeries(archive: ArchiveFile, than: ArchiveFile): boolean {
  return (compare(archive.number, than.number) || byStorage(archive, than)) > 0;
}

/**
 * @param archive of the same day and series as the other one. With only a day in their names, the number decides: a
 *   backup may be uploaded after midnight.
 */
function isLaterInSeries(archive: ArchiveFile, than: ArchiveFile): boolean {
  const byNumber = compare(archive.number, than.number);
  const byTime = compare(archive.time, than.time);
  const byName = archive.hasDayOnly ? byNumber : byTime || byNumber;
  return (byName || compare(archive.fileTime, than.fileTime)) > 0;
}

function byTime(one: ArchiveFile, other: ArchiveFile): number {
  return compare(one.time, other.time) || compare(one.fileTime, other.fileTime);
}

function byStorage(one: ArchiveFile, other: ArchiveFile): number {
  return compare(one.storedAt, other.storedAt) || compare(one.time, other.time);
}

function compare(one: number | null, other: number | null): number {
  return one === other ? 0 : (one ?? -Infinity) - (other ?? -Infinity);
}

interface ListOptions {
  calendar: Calendar;
  /** The list may be read again from its start. */
  onStart?: () => void;
  onArchive?: (archive: ArchiveFile) => void;
}

function listArchives(
  drive: DriveContext,
  { choice, folderId, pattern, fields, allowIncomplete = false }: ArchiveQuery,
  { calendar, onStart, onArchive }: ListOptions,
  call: CallOptions,
): Promise<Selection> {
  const search = {
    folderId,
    text: pattern === '*' ? '' : pattern,
    match: 'glob',
    kind: 'files',
    includeTrashed: false,
    fields: withFields(fields, ARCHIVE_FIELDS),
  } as const;
  const pages = (budgeted: CallOptions) => searchFiles(drive, search, budgeted);
  const read = async (list: AsyncIterable<DriveFile[]>): Promise<Selection> => {
    const selection = new Selection(choice, calendar, allowIncomplete);
    onStart?.();
    for await (const files of list) {
      const latest = (drive.engine.serviceTime() ?? Infinity) + DAY;
      for (const file of files) {
        if (!isArchive(drive, file)) continue;
        const archive = describeArchive(file, calendar, latest);
        selection.add(archive);
        onArchive?.(archive);
      }
    }
    return selection;
  };
  return readComplete(drive, { pages, text: 'bad_response_incomplete_archives' }, read, call);
}

/** Text keys: without an archive, and with incomplete ones only. */
const NOT_FOUND = {
  newest: ['not_found_archive', 'not_found_archive_incomplete'],
  number: ['not_found_archive_number', 'not_found_archive_number_incomplete'],
  date: ['not_found_archive_date', 'not_found_archive_date_incomplete'],
} as const;

function notFound(
  { folderName, pattern }: ArchiveQuery,
  choice: Exclude<ArchiveChoice, { which: 'file' }>,
  incomplete: string | undefined,
): DriveError {
  const [none, onlyIncomplete] = NOT_FOUND[choice.which];
  const params = {
    ...{ folder: folderName, pattern },
    ...(choice.which === 'number' && { number: choice.number }),
    ...(choice.which === 'date' && { date: new LocalTime(choice.until) }),
    ...(incomplete !== undefined && { name: incomplete }),
  };
  return uncheckedError('not_found', incomplete === undefined ? none : onlyIncomplete, params);
}
