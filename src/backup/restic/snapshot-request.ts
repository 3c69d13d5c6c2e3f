/** Requests of the nodes to a repository of snapshots, their results, and the jobs of the worker thread for them. */
import type { Differences } from '../entries/compare-folder';
import type {
  ExtractOptions,
  ExtractPlaces,
  ExtractProgress,
  ReservedEntries,
  SkippedEntry,
} from '../entries/extract';
import type { ArchiveTotals, ListedEntry } from '../entries/entry';
import type { SwapPolicy } from '../restore/swap-journal';
import type { DriveError } from '../../errors';
import type { Calendar } from '../retention/calendar';
import type { RetentionRules } from '../retention/retention';
import type { OnProgress } from '../../types';
import { callThread } from '../../core/threads/call-thread';
import type { Inspected } from '../entries/inspection';
import type { ThreadError } from '../../core/threads/thread-error';
import type { RepositoryStore } from './store';

/** Who locks the repository. */
export interface LockHolder {
  /** Undefined if the lock can't be read. */
  host: string | undefined;
  /** ms since 1970; when the lock was created. */
  time: number;
}

/** Access to a repository. */
export interface RepositoryAccess {
  /** `''` for the root. */
  folderId: string;
  /** As the user gave it, for error messages. */
  folderName?: string;
  passphrase: string;
  /** Absolute path of a folder for what was downloaded. It may be deleted at any time. */
  cacheFolder: string;
  /** Name of this machine. */
  host: string;
  /** Of the user that runs this process. */
  username: string;
  /** Called once, when another client's lock has to be waited for. */
  onWaiting?: ((holder: LockHolder) => void) | undefined;
  /** Called at the end with the files of the repository that are damaged, or of which several have the same name. */
  onDamaged?: ((files: string[]) => void) | undefined;
}

/** A snapshot as messages contain it, with the names of restic. */
export interface SnapshotInfo {
  /** 64 hexadecimal digits. */
  id: string;
  shortId: string;
  /** RFC 3339 */
  time: string;
  /** ID of the tree. */
  tree: string;
  parent: string | null;
  paths: string[];
  hostname: string;
  tags: string[];
}

export interface SnapshotBackupRequest extends RepositoryAccess {
  /** Absolute paths of folders and files. */
  sources: readonly string[];
  /** Globs, relative to each source: see path-globs.ts. */
  exclude: readonly string[];
  tags: readonly string[];
  /** Whether the snapshot is complete although disks of an earlier one aren't mounted any more. */
  acceptChange?: boolean | undefined;
  /** MiB, 4 to 128. */
  packSize: number;
  /** Percent of the repository that may be unused before it is cleaned up. */
  maxUnused: number;
  /** Applied to the snapshots of the same host and paths, once the new one is stored. */
  retention?: RetentionRules | undefined;
  /** How files of the repository are removed; default `trash`. */
  mode?: 'trash' | 'permanent' | undefined;
  /** The time zone of the retention. */
  calendar: Calendar;
  onProgress?: ((progress: SnapshotProgress) => void) | undefined;
}

export interface SnapshotProgress {
  entries: number;
  /** Bytes of all files so far, also of unchanged ones, which aren't read. */
  bytes: number;
  /** Bytes handed to the socket. */
  sent: number;
}

/** The numbers of one backup. */
export interface SnapshotSummary {
  /** False if a source, or something in it, couldn't be read. Such a snapshot has the tag `incomplete`. */
  complete: boolean;
  entries: number;
  files: number;
  folders: number;
  /** Of all files. */
  bytes: number;
  newFiles: number;
  changedFiles: number;
  unchangedFiles: number;
  /** Of the new blobs, before compression. */
  addedBytes: number;
  /** Of all uploaded files of the repository. */
  uploadedBytes: number;
  requests: number;
  /** Paths of files that changed while they were read. */
  changed: string[];
  skipped: { path: string; reason: string }[];
}

export interface PrunedSnapshots {
  kept: SnapshotInfo[];
  removed: SnapshotInfo[];
  failed: { snapshot: SnapshotInfo; error: DriveError }[];
  /** Of the packs that were removed. */
  freedBytes: number;
}

export interface SnapshotBackupResult {
  snapshot: SnapshotInfo;
  backup: SnapshotSummary;
  pruned: PrunedSnapshots;
  /** How many packs are damaged or missing. Of what they contained, the snapshot's part was stored again. */
  damagedPacks: number;
  /** Names of folders that the repository has several times: rclone, and so restic, uses only one of them. */
  duplicateFolders: string[];
  /** `partial_failure` or `cancelled`: the snapshot exists nevertheless. */
  laterError?: DriveError | undefined;
}

export interface SnapshotChoice {
  which: 'newest' | 'date' | 'id';
  /** ms since 1970, for `date`: the newest not after it. */
  until?: number | undefined;
  /** For `id`: a whole ID, or the beginning of a single one. */
  id?: string | undefined;
  /** `own`: only snapshots of this host. */
  sources: 'own' | 'any';
  host: string;
  paths?: readonly string[] | undefined;
  /** Whether a snapshot with the tag `incomplete` may be chosen, too. */
  allowIncomplete: boolean;
}

export interface SnapshotSearch extends RepositoryAccess {
  choice?: SnapshotChoice | undefined;
}

export interface FoundSnapshots {
  /** All that can be read, newest first. */
  snapshots: SnapshotInfo[];
  /** What the choice selects for a restore; undefined if that fails. */
  selectedId: string | undefined;
}

export interface SnapshotQuery extends RepositoryAccess {
  choice: SnapshotChoice;
  /** Globs for entries; none for all. */
  include: readonly string[];
  onProgress?: OnProgress | undefined;
}

export interface SnapshotRestoreRequest extends SnapshotQuery {
  /** Absolute path of the folder to restore to; it is created if it is missing. */
  path: string;
  overwrite: SwapPolicy;
  stripTop?: boolean | undefined;
  onEntry?: ((progress: ExtractProgress) => void) | undefined;
  onMovedAside?: ((paths: string[]) => void) | undefined;
  onReserved?: ((entries: ReservedEntries) => void) | undefined;
}

export interface SnapshotRestoreResult extends ExtractProgress {
  /** Of the folder. */
  path: string;
  snapshot: SnapshotInfo;
  /** Of an incomplete snapshot. */
  complete?: false;
  /** Devices, which only root can create, and sockets. */
  skipped?: SkippedEntry[];
}

export interface SnapshotCheckRequest extends SnapshotQuery {
  /** Percent of the packs that are read, a different part each day. */
  readData: number;
  /** Absolute path of a folder that is compared with the snapshot. */
  compareWith?: string | undefined;
  /** Hours; 0 for any age. */
  maxAge: number;
  /** `age` reads only the list of snapshots. */
  depth: 'age' | 'content';
  onEntry?: ((progress: ExtractProgress) => void) | undefined;
}

export interface SnapshotCheckResult extends Partial<ArchiveTotals> {
  snapshot: SnapshotInfo;
  /** Hours since the snapshot was taken. */
  age: number | null;
  /** Of an incomplete snapshot. */
  complete?: false;
  /** How long the check took. */
  milliseconds?: number;
  differences?: Differences;
}

export interface SnapshotListRequest extends SnapshotQuery {
  onEntry?: ((totals: ArchiveTotals) => void) | undefined;
  /** With some of the entries. The next ones follow when its promise resolves. */
  onEntries: (entries: ListedEntry[], snapshot: SnapshotInfo) => Promise<void>;
}

export interface ListedSnapshot {
  snapshot: SnapshotInfo;
  /** All of the snapshot. */
  entries: number;
  bytes: number;
}

/** How a repository is opened. */
export interface Access extends Pick<RepositoryAccess, 'passphrase' | 'cacheFolder' | 'host' | 'username'> {
  /** Names the repository in the cache. */
  place: string;
  /** For error messages. */
  folder: string;
  /** ms to wait for other clients that lock the repository. */
  retryFor: number;
}

/** The thread's side of the main thread. Awaiting `emit` makes the thread wait for the reader of a list. */
export interface SnapshotHost<Event> extends RepositoryStore {
  emit(event: Event): Promise<void>;
  /** The repository is locked by another client. */
  emitWaiting(holder: LockHolder): Promise<void>;
  /** Files of the repository were damaged, but others served. */
  emitDamaged(files: readonly string[]): Promise<void>;
}

export interface BackupJob extends Pick<
  SnapshotBackupRequest,
  'sources' | 'exclude' | 'tags' | 'acceptChange' | 'packSize' | 'maxUnused'
> {
  work: 'backup';
  access: Access;
  retention: RetentionRules | undefined;
  timeZone: string;
}

/**
 * The progress; that the snapshot is about to be stored; the outcome when it is stored, whatever follows, and once more
 * when old ones were removed.
 */
export type BackupEvent =
  { entries: number; bytes: number } | { isStoring: true } | { stored: BackupOutcome };

export interface BackupOutcome {
  snapshot: SnapshotInfo;
  backup: Omit<SnapshotSummary, 'uploadedBytes' | 'requests'>;
  damagedPacks: number;
  pruned: Omit<PrunedSnapshots, 'failed'> & { failed: { snapshot: SnapshotInfo; error: ThreadError }[] };
  laterError?: ThreadError;
}

export interface SnapshotsJob {
  work: 'snapshots';
  access: Access;
  choice: SnapshotChoice | undefined;
}

interface SelectedJob {
  access: Access;
  choice: SnapshotChoice;
  /** Globs for entries; none for all. */
  include: readonly string[];
}

export interface RestoreJob
  extends SelectedJob, Pick<ExtractOptions, 'stripTop' | 'isCaseSensitive' | 'creationMode'> {
  work: 'restore';
  places: ExtractPlaces;
}

export interface CheckJob extends SelectedJob, Pick<SnapshotCheckRequest, 'readData' | 'maxAge' | 'depth'> {
  work: 'check';
  compareWith: string | undefined;
}

export interface EntriesJob extends SelectedJob {
  work: 'entries';
}

export type ReadJob = RestoreJob | CheckJob | EntriesJob;

/** The progress so far; or some of the entries. The next ones follow when these were passed on. */
export type ReadEvent =
  | { fetched?: number; progress?: ExtractProgress; totals?: ArchiveTotals; entries?: never }
  | { entries: ListedEntry[]; snapshot: SnapshotInfo };

export interface RestoreOutcome {
  snapshot: SnapshotInfo;
  progress: ExtractProgress;
  reserved: ReservedEntries;
  skipped: SkippedEntry[];
}

export interface InspectOutcome {
  snapshot: SnapshotInfo;
  /** Hours. */
  age?: number;
  inspected?: Inspected;
}

export type SnapshotJob = BackupJob | SnapshotsJob | ReadJob;

/** MiB. With one, the garbage collector takes a third of the time; each takes three. */
const YOUNG_GENERATION = 4;

/**
 * @param host whose methods the thread calls
 * @throws `cancelled`, and the errors of the job
 */
export function runSnapshotJob<Event>(
  job: SnapshotJob,
  host: SnapshotHost<Event>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const file = require.resolve('./snapshot-worker');
  return callThread({ file, maxYoungGenerationSizeMb: YOUNG_GENERATION }, job, host, { signal });
}
