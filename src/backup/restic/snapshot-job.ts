/** Jobs of the worker thread for snapshots, and their results. */
import { callThread } from '../../core/threads/call-thread';
import type {
  ExtractOptions,
  ExtractPlaces,
  ExtractProgress,
  ReservedEntries,
  SkippedEntry,
} from '../entries/extract';
import type { Inspected } from '../entries/inspection';
import type { ThreadError } from '../../core/threads/thread-error';
import type { RetentionRules } from '../retention/retention';
import type {
  LockHolder,
  PrunedSnapshots,
  RepositoryAccess,
  SnapshotBackupRequest,
  SnapshotCheckRequest,
  SnapshotChoice,
  SnapshotInfo,
  SnapshotSummary,
} from './snapshot-request';
import type { RepositoryStore } from './store';
import type { ArchiveTotals, ListedEntry } from '../entries/entry';

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
