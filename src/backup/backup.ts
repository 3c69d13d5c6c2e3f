/**
 * Backs up local folders and files: one archive on the drive for each run, and a limited number of earlier ones. Runs
 * of the same backup may meet, also on several machines: each gets a number of its own, and removes only archives that
 * existed when it began (backup-retention.ts).
 */
import { type Missing, findMissing, incompleteError, nothingRead } from './entries/missing-sources';
import type { CallOptions, DriveFile } from '../types';
import { DriveError, type ParamsArgument, type TextKey, isDriveError, uncheckedError } from '../errors';
import { rootId } from '../drive/drive-context';
import { projectFields, withFields } from '../drive/fields';
import { isIncomplete } from '../drive/list';
import { updateMetadata } from '../drive/metadata';
import type { Calendar } from './retention/calendar';
import type { RemovalResult } from './retention/remove-expired';
import { type RetentionRules, hasRule } from './retention/retention';
import { uncancelled } from '../http/retry';
import type { UploadContext } from '../transfer/upload/upload';
import { uploadStream } from '../transfer/upload/upload-stream';
import { type AgeRecipients, checkRecipients } from './archive/age';
import { type Compression, archiveContent, archiveExtension } from './archive/archive-content';
import { ArchiveNames } from './archive-name';
import type { ArchiveNumbers } from './archive-numbers';
import {
  type EarlierArchives,
  archiveDate,
  findEarlierArchives,
  isCompleteArchive,
  removeOldArchives,
} from './backup-retention';
import {
  type OwnArchives,
  REQUIRED_FIELDS,
  highestNumber,
  isOfOtherSeries,
  listOwnArchives,
} from './own-archives';
import { hasPath, noteProperties, readNote, seriesOf, withPaths } from './archive-note';
import { statsOf } from '../fs/durable';
import {
  type SourceMount,
  type SourceMounts,
  compareMounts,
  findSourceMounts,
  pathOfMount,
} from '../fs/mount-points';
import type { JsonObject } from '../core/validator';
import { readablePath } from '../fs/path-bytes';
import { createPathMatcher } from '../core/globs/path-globs';
import {
  type SourceSelection,
  checkSources,
  sourceDevices,
  sourceName,
  walkSources,
} from '../fs/walk-sources';
import { type ArchiveSummary, newSummary } from './archive/write-tar';

export interface BackupRequest {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** `''` for the root. */
  folderId: string;
  /** Template of the name, without extension: see {@link ArchiveNames}. */
  targetName: string;
  /** Globs, relative to each source: see {@link createPathMatcher}. */
  exclude: readonly string[];
  compression: Compression;
  /** Undefined for an archive that isn't encrypted. */
  encryption?: AgeRecipients | undefined;
  /** Applied to the archives of this template and source, once the new one is verified. */
  retention?: RetentionRules | undefined;
  /** How archives are removed; default `trash`. */
  mode?: 'trash' | 'permanent' | undefined;
  /** The time zone of names and retention. */
  calendar: Calendar;
  /** Name of this machine, for `{host}`. */
  host: string;
  /** What the archives of this machine have in common; by default its name. */
  machine?: string | undefined;
  /** Whether the archive is complete although disks of an earlier one aren't mounted any more. */
  acceptChange?: boolean | undefined;
  /** Folder on disk for a temporary file at a service without upload sessions. */
  temporaryFolder: string;
  /** Fields of the returned files. */
  fields: string;
  /** Called often. */
  onProgress?: ((progress: BackupProgress) => void) | undefined;
}

export interface BackupProgress {
  entries: number;
  /** Bytes of the contents read so far, before compression. */
  bytes: number;
  /** Bytes of the archive handed to the socket. */
  sent: number;
}

export interface BackupResult {
  file: DriveFile;
  backup: ArchiveSummary & {
    /** Null if the template has no `{number}`. */
    number: number | null;
    /** `2026-11-22` */
    date: string;
    /** False for an archive that lacks a source, or something in it. It is called `NAME.incomplete.EXT`. */
    complete: boolean;
  };
  pruned: Omit<RemovalResult, 'cancelled'>;
  /** How many archives of other hosts or paths have the names of this backup's. They are kept, and count for no rule. */
  otherSeries: number;
  /**
   * `partial_failure` if the archive is incomplete or couldn't be renamed, or if earlier ones couldn't be removed;
   * `cancelled` if the run was cancelled when the archive was already there.
   */
  laterError?: DriveError;
}

export interface BackupContext {
  context: UploadContext;
  numbers: ArchiveNumbers;
  /** Removes an earlier archive. */
  remove: (id: string, mode: 'trash' | 'permanent', call: CallOptions) => Promise<void>;
}

/** What all steps of one backup share. */
interface BackupRun extends BackupContext {
  request: BackupRequest;
  names: ArchiveNames;
  own: OwnArchives;
  /** ms since 1970 */
  startedAt: number;
  /** Of the sources when the run began: see {@link sourceDevices}. */
  devices: readonly (number | undefined)[];
  /** When the run began, and once the sources are read. */
  mounts: SourceMounts;
  /** Updated while the archive is written. */
  summary: ArchiveSummary;
  /** Where an incomplete archive lacks something, or that everything was read. Undefined until the sources are read. */
  outcome?: Missing | 'complete';
  /** The archives before this one was created. */
  earlier?: EarlierArchives;
  call: CallOptions;
}

/**
 * Checks a backup without reading the files or sending a request.
 * @throws `invalid_input`; `local_file` for a missing source
 */
export async function checkBackup(
  request: Pick<BackupRequest, 'sources' | 'exclude' | 'targetName' | 'encryption' | 'calendar' | 'host'>,
): Promise<void> {
  await checkSources(selectionOf(request));
  archiveNames(request);
  if (request.encryption) checkRecipients(request.encryption);
}

/** An entry that an archive would contain, or why it would lack one. Paths are for users. */
export type BackupEntry = { path: string; bytes: number } | { path: string; skipped: string };

/** Lists what an archive would contain, for {@link BackupRequest}. @throws as {@link checkBackup} */
export async function* listBackupEntries(
  request: Pick<BackupRequest, 'sources' | 'exclude'>,
): AsyncGenerator<BackupEntry> {
  for await (const entry of walkSources(selectionOf(request))) {
    const path = readablePath(entry.path);
    if ('skipped' in entry) yield { path, skipped: entry.skipped };
    else yield { path, bytes: entry.type === 'file' ? await fileSize(entry.localPath) : 0 };
  }
}

/** 0 for a file that was removed meanwhile. */
async function fileSize(path: string): Promise<number> {
  const stats = await statsOf(path).catch(() => undefined);
  return stats?.size ?? 0;
}

/**
 * Writes an archive straight to the drive and verifies it; only then removes earlier ones.
 * @throws as {@link checkBackup} before anything is sent; as {@link uploadStream}
 */
export async function backup(
  shared: BackupContext,
  request: BackupRequest,
  call: CallOptions,
): Promise<BackupResult> {
  await checkBackup(request);
  const devices = await sourceDevices(request.sources);
  const mounts = await findSourceMounts(selectionOf(request));
  const run: BackupRun = { ...startRun(shared, request, call), devices, mounts };
  const rules = request.retention && hasRule(request.retention) ? request.retention : undefined;
  // The list for the number is enough.
  if (!run.names.isNumbered) run.earlier = await findEarlierArchives(run.own, call);
  const { file, number, renameError } = await createArchive(run);
  const { outcome = 'complete' } = run;
  const isComplete = outcome === 'complete';
  const laterError = isComplete ? renameError : incompleteError(outcome, { name: file.name ?? file.id });
  const result = {
    file: projectFields(file, withFields(request.fields, ['id'])),
    backup: { number: number ?? null, date: dateOf(run), complete: !laterError, ...run.summary },
    otherSeries: listed(run).filter((archive) => isOfOtherSeries(run.own, archive)).length,
  };
  if (laterError) return { ...result, pruned: NOTHING_PRUNED, laterError };
  return { ...result, ...(await prune(run, file, rules)) };
}

function startRun(
  shared: BackupContext,
  request: BackupRequest,
  call: CallOptions,
): Omit<BackupRun, 'devices' | 'mounts'> {
  const { drive } = shared.context;
  const names = archiveNames(request);
  const folderId = request.folderId || rootId(drive.service);
  const series = seriesOf(request.machine ?? request.host, request.sources);
  const own = { drive, folderId, names, series, fields: request.fields };
  const startedAt = drive.clock.now();
  return { ...shared, request, names, own, startedAt, summary: newSummary(), call };
}

const NOTHING_PRUNED: BackupResult['pruned'] = { kept: [], removed: [], failed: [] };

/** Never throws: the archive exists. */
async function prune(
  run: BackupRun,
  created: DriveFile,
  rules: RetentionRules | undefined,
): Promise<Pick<BackupResult, 'pruned' | 'laterError'>> {
  const { earlier = [] } = run;
  const isIncomplete = (archive: DriveFile): boolean =>
    !isCompleteArchive(run.names, archive) && !isOfOtherSeries(run.own, archive);
  // Without rules, only incomplete archives are removed.
  if (!rules && (isDriveError(earlier) || !earlier.some(isIncomplete))) return { pruned: NOTHING_PRUNED };
  const { own, request, call } = run;
  const { calendar, mode = 'trash' } = request;
  const fail = <Text extends TextKey>(text: Text, ...[params]: ParamsArgument<Text, 'name'>): DriveError =>
    uncheckedError('partial_failure', text, { name: created.name ?? created.id, ...params });
  try {
    const remove = (id: string): Promise<void> => run.remove(id, mode, call);
    const options = { ...own, created, earlier, rules, calendar, remove };
    const { cancelled: laterError, ...pruned } = await removeOldArchives(options, call);
    const failed = pruned.failed.length;
    if (laterError) return { pruned, laterError };
    if (failed === 0) return { pruned };
    const count = failed + pruned.removed.length;
    return { pruned, laterError: fail('partial_failure_prune', { failed, count }) };
  } catch (error) {
    if (isDriveError(error) && ['cancelled', 'partial_failure'].includes(error.code))
      return { pruned: NOTHING_PRUNED, laterError: error };
    const reason = isDriveError(error) ? error.code : 'unknown';
    return { pruned: NOTHING_PRUNED, laterError: fail('partial_failure_prune_list', { reason }) };
  }
}

function archiveNames({
  sources,
  targetName,
  host,
  calendar,
}: Pick<BackupRequest, 'sources' | 'targetName' | 'host' | 'calendar'>): ArchiveNames {
  return new ArchiveNames(targetName, { name: sourceName(sources[0] ?? ''), host }, calendar);
}

function selectionOf({ sources, exclude }: Pick<BackupRequest, 'sources' | 'exclude'>): SourceSelection {
  return { sources, isExcluded: createPathMatcher(exclude, 'exclude') };
}

function dateOf({ request: { calendar }, startedAt }: BackupRun): string {
  const { year, month, day } = calendar.wallTimeOf(startedAt);
  return [year, ...[month, day].map((value) => String(value).padStart(2, '0'))].join('-');
}

interface CreatedArchive {
  file: DriveFile;
  /** Undefined without `{number}`. */
  number: number | undefined;
  /** Why the archive has another name than it should have. */
  renameError?: DriveError;
}

async function createArchive(run: BackupRun): Promise<CreatedArchive> {
  const { numbers, request, names, call } = run;
  if (!names.isNumbered) return uploadArchive(run, undefined);
  const key = JSON.stringify([
    run.own.folderId,
    request.targetName,
    sourceName(request.sources[0] ?? ''),
    request.host,
  ]);
  const findHighest = async (): Promise<number> => {
    const archives = await listOwnArchives(run.own, call);
    run.earlier = archives;
    return highestNumber(names, archives);
  };
  const create = async (number: number): Promise<CreatedArchive> =>
    renumber(run, await uploadArchive(run, number));
  return numbers.run(key, findHighest, create, call);
}

/** As far as is known: an archive counts as incomplete until all of it was read. */
function nameOf({ names, startedAt, outcome, request }: BackupRun, number: number | undefined): string {
  return names.format(startedAt, number ?? 0, outcome === 'complete') + archiveExtension(request);
}

async function uploadArchive(run: BackupRun, number: number | undefined): Promise<CreatedArchive> {
  const { context, request, summary, call } = run;
  const extension = archiveExtension(request);
  let sent = 0;
  const report = (): void => request.onProgress?.({ entries: summary.entries, bytes: summary.bytes, sent });
  let sentName = '';
  const stream = {
    content: readSources(run, report),
    name: () => (sentName = nameOf(run, number)),
    folderId: request.folderId,
    mimeType: MIME_TYPES[extension] ?? 'application/octet-stream',
    metadata: () => noteOf(run),
    fields: withFields(request.fields, REQUIRED_FIELDS),
    temporaryFolder: request.temporaryFolder,
    onProgress: (bytes: number) => {
      sent = bytes;
      report();
    },
  };
  const file = await uploadStream(context, stream, call);
  const name = nameOf(run, number);
  return sentName === name
    ? { file, number }
    : rename(run, { file, number }, name, 'partial_failure_not_renamed');
}

/**
 * An upload session begins with the file's name, before it is known whether everything can be read. So a large archive
 * is uploaded as an incomplete one, and renamed once it is verified. That takes one more request than renaming only
 * incomplete ones, but if the run is killed or the service can't rename files, a complete archive may look incomplete,
 * never the other way around. The name of a smaller archive is known before it is sent.
 */
async function rename(
  run: BackupRun,
  created: CreatedArchive,
  name: string,
  text: 'partial_failure_not_renamed' | 'partial_failure_same_number',
): Promise<CreatedArchive> {
  const { file, number } = created;
  try {
    return { file: await setName(run, file, name), number };
  } catch (error) {
    if (!isDriveError(error)) throw error;
    const params = { name: file.name ?? file.id, target: name, reason: error.code };
    return { ...created, renameError: new DriveError('partial_failure', { text, params }) };
  }
}

/** An archive with the wrong name wouldn't count, and restore couldn't tell two with the same number apart. */
async function setName(run: BackupRun, file: DriveFile, name: string): Promise<DriveFile> {
  // Not those of the request, which a custom service may refuse.
  const update = { id: file.id, changes: { name, ...noteOf(run) }, fields: REQUIRED_FIELDS.join() };
  return { ...file, name, ...(await updateMetadata(run.context.drive, update, uncancelled(run.call))) };
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.tar': 'application/x-tar',
  '.tar.gz': 'application/gzip',
};

/** The archive. Before its end, it is known whether it is complete. @throws `local_file` if nothing could be read */
async function* readSources(run: BackupRun, report: () => void): AsyncGenerator<Buffer> {
  const { sources, exclude, compression, encryption } = run.request;
  for await (const chunk of archiveContent({ sources, exclude, compression, encryption }, run.summary)) {
    yield chunk;
    report();
  }
  const { request, devices, summary } = run;
  if (summary.entries === 0) throw nothingRead(request.sources, summary.skipped);
  const read = { devices, skipped: summary.skipped };
  run.outcome = (await findMissing(selectionOf(request), read, () => findLostMounts(run))) ?? 'complete';
}

/** Compares the mount points with those of the archive before, and with those when the run began. @returns paths */
async function findLostMounts(run: BackupRun): Promise<string[]> {
  const selection = selectionOf(run.request);
  const { lost, used } = await compareMounts(selection, run.mounts, expectedMounts(run));
  run.mounts = { all: run.mounts.all, used };
  const paths = lost.map((mount) => (hasPath(mount) ? pathOfMount(mount) : undefined));
  return [...new Set(paths.flatMap((each) => each ?? run.request.sources))].map(readablePath);
}

/** @returns those of the newest archive of this series whose mount points are known */
function expectedMounts(run: BackupRun): SourceMount[] {
  if (run.request.acceptChange) return [];
  const [newest] = listed(run)
    .filter((archive) => !isOfOtherSeries(run.own, archive) && readNote(archive).mounts)
    .map((archive) => ({ archive, order: archiveDate(run.names, archive)?.order ?? 0 }))
    .sort((a, b) => b.order - a.order);
  return withPaths((newest && readNote(newest.archive).mounts) ?? [], run.mounts.all);
}

function listed({ earlier = [] }: BackupRun): readonly DriveFile[] {
  return isDriveError(earlier) ? [] : earlier;
}

/** Until the sources are read, all mount points of the archive before are noted, in case one of them is lost. */
function noteOf(run: BackupRun): JsonObject {
  const { own, request, earlier, mounts, outcome } = run;
  // The list of archives requested it.
  if (own.drive.refused.has('optionalFields')) return {};
  const before = outcome === undefined ? expectedMounts(run) : [];
  // Without those of the archive before, a disk that was mounted then would be forgotten.
  const known = isDriveError(earlier) ? undefined : [...new Set([...mounts.used, ...before])];
  const note = { series: own.series, mounts: known };
  return { appProperties: noteProperties(note, request.encryption !== undefined) };
}

/** Attempts to get a number of one's own, when several machines write to the folder at once. */
const MAX_LOOKS = 20;
/** ms; time for the machines with younger archives to rename theirs. */
const RENAME_TIME = 2_000;

/**
 * Another machine may have created an archive with the same number meanwhile. Each looks after creating: the oldest
 * archive keeps the number, and the others get the next ones. An archive may appear after the others have looked, so
 * the oldest is renamed as well if another one still has its number after a while.
 */
async function renumber(run: BackupRun, created: CreatedArchive): Promise<CreatedArchive> {
  const { context, names } = run;
  let { file, number, renameError } = created;
  let hasWaited = false;
  for (let look = 0; look < MAX_LOOKS; look++) {
    const listing = listOwnArchives(run.own, uncancelled(run.call));
    const archives = await listing.catch((error: unknown) => (isIncomplete(error) ? undefined : []));
    if (!archives) {
      await context.drive.clock.sleep(RENAME_TIME);
      continue;
    }
    const same = archives.filter(
      ({ id, name = '' }) => id !== file.id && names.parse(name)?.number === number,
    );
    if (same.length === 0) break;
    const older = same.filter((other) => isOlder(other, file)).length;
    if (older === 0 && !hasWaited) {
      hasWaited = true;
      await context.drive.clock.sleep(RENAME_TIME);
      continue;
    }
    hasWaited = false;
    // Different for each archive of that number, in case all are renamed at once.
    const next = highestNumber(names, archives) + (older || same.length + 1);
    const renamed = await rename(run, { file, number }, nameOf(run, next), 'partial_failure_same_number');
    ({ file, renameError } = renamed);
    if (renameError) break;
    number = next;
  }
  return { file, number, ...(renameError && { renameError }) };
}

/** @returns false for files without a creation time, which can't be compared */
function isOlder(other: DriveFile, file: DriveFile): boolean {
  const [time, ownTime] = [other, file].map(({ createdTime = '' }) => Date.parse(createdTime)) as [
    number,
    number,
  ];
  return time < ownTime || (time === ownTime && other.id < file.id);
}
