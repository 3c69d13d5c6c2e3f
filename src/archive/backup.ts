/** Backs up local folders and files: one archive on the drive for each run, and a limited number of earlier ones. */
import type { CallOptions, DriveFile } from '../types';
import { DriveError, isDriveError } from '../errors';
import { rootId } from '../api/drive-context';
import { projectFields, withFields } from '../api/fields';
import { getMetadataIfSupported } from '../api/metadata';
import { move } from '../files/move';
import type { MoveContext } from '../files/move-or-copy';
import type { Calendar } from '../retention/calendar';
import { type RemovalResult, hasChanged, isBackup, removeExpired } from '../retention/remove-expired';
import { type FileDate, type RetentionRules, applyRetention, hasRule } from '../retention/retention';
import { searchFiles } from '../search/search';
import type { UploadContext } from '../upload/upload';
import { uploadStream } from '../upload/upload-stream';
import { type AgeRecipients, checkRecipients } from './age';
import { type Compression, archiveContent, archiveExtension } from './archive-content';
import { ArchiveNames } from './archive-name';
import type { ArchiveNumbers } from './archive-numbers';
import { createPathMatcher } from '../search/path-globs';
import {
  type SourceSelection,
  type WalkedEntry,
  checkSources,
  findLostSource,
  sourceDevices,
  sourceName,
  walkSources,
} from './walk-sources';
import { type ArchiveSummary, newSummary } from './write-tar';

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
  /** Name of this machine. */
  host: string;
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
  backup: Omit<ArchiveSummary, 'lost' | 'unread'> & {
    /** Null if the template has no `{number}`. */
    number: number | null;
    /** `2026-11-22` */
    date: string;
  };
  pruned: Omit<RemovalResult, 'cancelled'>;
  /**
   * `partial_failure` if a source was lost or nothing in it could be read, or if earlier archives couldn't be removed;
   * `cancelled` if the run was cancelled when the archive was already there.
   */
  laterError?: DriveError;
}

export interface BackupContext {
  context: UploadContext & MoveContext;
  numbers: ArchiveNumbers;
  /** Removes an earlier archive. */
  remove: (id: string, mode: 'trash' | 'permanent', call: CallOptions) => Promise<void>;
}

/** What all steps of one backup share. */
interface BackupRun extends BackupContext {
  request: BackupRequest;
  names: ArchiveNames;
  /** ms since 1970 */
  startedAt: number;
  call: CallOptions;
}

/** Fields that numbering and retention need. */
const REQUIRED_FIELDS = ['id', 'name', 'mimeType', 'parents', 'createdTime', 'modifiedTime'];

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

/** Lists what an archive would contain, for {@link BackupRequest}. @throws as {@link checkBackup} */
export function listBackupEntries(
  request: Pick<BackupRequest, 'sources' | 'exclude'>,
): AsyncGenerator<WalkedEntry> {
  return walkSources(selectionOf(request));
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
  const startedAt = shared.context.drive.clock.now();
  const run: BackupRun = { ...shared, request, names: archiveNames(request), startedAt, call };
  const summary = newSummary();
  const { file, number } = await createArchive(run, summary);
  const { lost = await findLostSource(selectionOf(request), devices), unread, ...counts } = summary;
  const result = {
    file: projectFields(file, withFields(request.fields, ['id'])),
    backup: { number: number ?? null, date: dateOf(run), ...counts },
  };
  const missing = lost ?? unread;
  if (missing !== undefined) {
    const text = lost === undefined ? 'partial_failure_source_unread' : 'partial_failure_source_lost';
    const params = { name: file.name ?? file.id, path: missing };
    const laterError = new DriveError('partial_failure', { text, params });
    return { ...result, pruned: NOTHING_PRUNED, laterError };
  }
  if (!request.retention || !hasRule(request.retention)) return { ...result, pruned: NOTHING_PRUNED };
  return { ...result, ...(await prune(run, file, request.retention)) };
}

const NOTHING_PRUNED: BackupResult['pruned'] = { kept: [], removed: [], failed: [] };

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
}

async function createArchive(run: BackupRun, summary: ArchiveSummary): Promise<CreatedArchive> {
  const { numbers, request, names, call } = run;
  if (!names.isNumbered) return { file: await upload(run, summary, 0), number: undefined };
  const key = JSON.stringify([
    folderOf(run),
    request.targetName,
    sourceName(request.sources[0] ?? ''),
    request.host,
  ]);
  const findHighest = async (): Promise<number> => highestNumber(run, await ownArchives(run));
  const create = async (number: number): Promise<CreatedArchive> =>
    renumber(run, { file: await upload(run, summary, number), number });
  return numbers.run(key, findHighest, create, call);
}

async function upload(run: BackupRun, summary: ArchiveSummary, number: number): Promise<DriveFile> {
  const { context, request, names, startedAt, call } = run;
  const { sources, exclude, compression, encryption, onProgress } = request;
  const extension = archiveExtension({ compression, encryption });
  let sent = 0;
  const report = (): void => onProgress?.({ entries: summary.entries, bytes: summary.bytes, sent });
  const options = { sources, exclude, compression, encryption };
  const stream = {
    content: reporting(archiveContent(options, summary), report),
    name: names.format(startedAt, number) + extension,
    folderId: request.folderId,
    mimeType: MIME_TYPES[extension] ?? 'application/octet-stream',
    metadata: {},
    fields: withFields(request.fields, REQUIRED_FIELDS),
    temporaryFolder: request.temporaryFolder,
    onProgress: (bytes: number) => {
      sent = bytes;
      report();
    },
  };
  return uploadStream(context, stream, call);
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.tar': 'application/x-tar',
  '.tar.gz': 'application/gzip',
};

async function* reporting(content: AsyncIterable<Buffer>, report: () => void): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    yield chunk;
    report();
  }
}

/** Attempts to get a number of one's own, when several machines write to the folder at once. */
const MAX_LOOKS = 20;
/** ms; time for the machines with younger archives to rename theirs. */
const RENAME_TIME = 2_000;

/**
 * Another machine may have created an archive with the same number meanwhile. Each looks after creating: the oldest archive
 * keeps the number, and the others get the next ones. An archive may appear after the others have looked, so the oldest is
 * renamed as well if another one still has its number after a while.
 */
async function renumber(run: BackupRun, created: CreatedArchive): Promise<CreatedArchive> {
  const { context, request, names, startedAt } = run;
  // Not cancelled with the call: if two archives had the same number, restore couldn't tell which one is meant.
  const { signal: _signal, budget: _budget, ...call } = run.call;
  let { file, number } = created;
  let hasWaited = false;
  for (let look = 0; look < MAX_LOOKS; look++) {
    const archives = await ownArchives({ ...run, call }).catch(() => []);
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
    number = highestNumber(run, archives) + (older || same.length + 1);
    const name = names.format(startedAt, number) + archiveExtension(request);
    const renamed = { id: file.id, folderId: '', name, ifExists: 'duplicate', restore: false } as const;
    const fields = withFields(request.fields, REQUIRED_FIELDS);
    ({ file } = await move(context, { ...renamed, fields }, call));
  }
  return { file, number };
}

/** @returns false for files without a creation time, which can't be compared */
function isOlder(other: DriveFile, file: DriveFile): boolean {
  const [time, ownTime] = [other, file].map(({ createdTime = '' }) => Date.parse(createdTime)) as [
    number,
    number,
  ];
  return time < ownTime || (time === ownTime && other.id < file.id);
}

function folderOf({ context, request }: BackupRun): string {
  return request.folderId || rootId(context.drive.service);
}

/**
 * The archives in the folder that the template produces for this source.
 * @throws `bad_response` if the list may be incomplete: the highest number or the newest archive could be missing
 */
async function ownArchives(run: BackupRun): Promise<DriveFile[]> {
  const { context, request, names, call } = run;
  const search = { folderId: folderOf(run), text: '', kind: 'files', includeTrashed: false } as const;
  const fields = withFields(request.fields, REQUIRED_FIELDS);
  const archives: DriveFile[] = [];
  for await (const page of searchFiles(context.drive, { ...search, fields }, call)) {
    if (page.incompleteSearch) throw new DriveError('bad_response', { text: 'bad_response_incomplete' });
    archives.push(...page.files.filter((file) => isBackup(file) && names.parse(file.name ?? '')));
  }
  return archives;
}

/** @returns 0 without archives */
function highestNumber({ names }: BackupRun, archives: readonly DriveFile[]): number {
  return archives.reduce((highest, { name = '' }) => Math.max(highest, names.parse(name)?.number ?? 0), 0);
}

/** Never throws: the archive exists. @param created is kept and counts as the newest, whatever its date */
async function prune(
  run: BackupRun,
  created: DriveFile,
  rules: RetentionRules,
): Promise<Pick<BackupResult, 'pruned' | 'laterError'>> {
  const { context, request, names, call } = run;
  const { drive } = context;
  const fail = (text: string, params: Record<string, string | number>): DriveError =>
    new DriveError('partial_failure', { text, params: { name: created.name ?? created.id, ...params } });
  try {
    const decision = applyRetention(await archivesWith(run, created), rules, {
      dateFrom: (file) => archiveDate(names, file),
      calendar: request.calendar,
      now: drive.clock.now(),
      newestId: created.id,
    });
    const { cancelled: laterError, ...pruned } = await removeExpired(decision, {
      // Also if the dates are in the names: an archive whose content was replaced meanwhile isn't an old one any more.
      dateFrom: 'modifiedTime',
      getMetadata: (id, fields) => getMetadataIfSupported(drive, id, fields, call),
      remove: (id) => run.remove(id, request.mode ?? 'trash', call),
    });
    const failed = pruned.failed.length;
    if (laterError) return { pruned, laterError };
    if (failed === 0) return { pruned };
    return { pruned, laterError: fail('partial_failure_prune', { failed, count: decision.removed.length }) };
  } catch (error) {
    if (isDriveError(error, 'cancelled')) return { pruned: NOTHING_PRUNED, laterError: error };
    const reason = isDriveError(error) ? error.code : 'unknown';
    return { pruned: NOTHING_PRUNED, laterError: fail('partial_failure_prune_list', { reason }) };
  }
}

/** Without the new archive in a list that is behind, one archive too many would be kept. */
async function archivesWith(run: BackupRun, created: DriveFile): Promise<DriveFile[]> {
  const archives = await ownArchives(run);
  if (archives.some(({ id }) => id === created.id) || !(await isInFolder(run, created))) return archives;
  return [created, ...archives];
}

/** @returns false for an archive that someone has removed, moved or renamed meanwhile: it can't replace earlier ones */
async function isInFolder({ context, call }: BackupRun, created: DriveFile): Promise<boolean> {
  try {
    const file = await getMetadataIfSupported(context.drive, created.id, 'id,name,parents,trashed', call);
    return !file || (file.trashed !== true && !hasChanged(created, file, ['name', 'parents']));
  } catch (error) {
    if (isDriveError(error, 'not_found')) return false;
    throw error;
  }
}

/** The archives of a day are in order of their numbers, as in a restore. */
function archiveDate(names: ArchiveNames, { name = '', modifiedTime = '' }: DriveFile): FileDate | undefined {
  const named = names.parse(name);
  const time = named?.time ?? Date.parse(modifiedTime);
  return Number.isNaN(time) ? undefined : { time, isDay: named?.isDay ?? false, number: named?.number };
}
