/** Backs up local folders and files as snapshots in a repository of restic. This thread only transfers files. */
import { type ThreadError, fromThreadError, toThreadError } from '../core/threads/thread-error';
import { onAbort } from '../core/abort';
import { DriveError, cancelled, isDriveError } from '../errors';
import { hasRule } from './retention/retention';
import type { CallOptions } from '../types';
import type { UploadContext } from '../transfer/upload/upload';
import { type DriveBackendOptions, withCapabilities } from './drive-backend';
import { DriveStore } from './drive-store';
import {
  type Access,
  type BackupEvent,
  type BackupJob,
  type BackupOutcome,
  type FoundSnapshots,
  type RepositoryAccess,
  type SnapshotBackupRequest,
  type SnapshotBackupResult,
  type SnapshotHost,
  type SnapshotJob,
  type SnapshotSearch,
  runSnapshotJob,
} from './restic/snapshot-request';
import { checkSources } from '../fs/walk-sources';
import { createPathMatcher } from '../core/globs/path-globs';

/**
 * Creates the repository if the folder is empty. Old snapshots are removed when the new one is stored.
 * @throws as {@link checkSnapshotBackup}; `conflict` for a folder with other content, or if another client locks the
 * repository
 */
export async function backupSnapshot(
  context: UploadContext,
  request: SnapshotBackupRequest,
  call: CallOptions,
): Promise<SnapshotBackupResult> {
  await checkSnapshotBackup(request);
  const run = new RunningBackup(request);
  const onRequest = (): void => {
    run.requests += 1;
    call.onRequest?.();
  };
  const { mode = 'trash' } = request;
  const onSent = (bytes: number): void => run.onSent(bytes);
  const repository = { request, mode, onSent, emit: (event: BackupEvent) => run.emit(event) };
  const work = (host: SnapshotHost<BackupEvent>, access: Access): Promise<BackupOutcome> =>
    run.outcome(backupJob(request, access), host, call.signal);
  const done = await withRepository(context, repository, { ...call, onRequest }, work);
  const { result, writtenBytes, duplicateFolders, leavesLock } = done;
  const totals = { requests: run.requests, uploadedBytes: writtenBytes, leavesLock };
  return { ...toResult(result, totals), duplicateFolders };
}

/** What the main thread knows of a backup. */
class RunningBackup {
  requests = 0;
  private sent = 0;
  private progress = { entries: 0, bytes: 0 };
  private isStoring = false;
  private stored: BackupOutcome | undefined;
  private hasPruned = false;

  constructor(private readonly request: SnapshotBackupRequest) {}

  /** @returns also the outcome of a backup whose snapshot is stored, although something has failed later */
  async outcome(
    job: BackupJob,
    host: SnapshotHost<BackupEvent>,
    signal: AbortSignal | undefined,
  ): Promise<BackupOutcome> {
    const aborter = new AbortController();
    // The snapshot may be there before this is known here. All requests fail, so the thread ends by itself.
    const cancel = (): void => void (this.isStoring || aborter.abort());
    const stop = signal && onAbort(signal, cancel);
    try {
      return (await runSnapshotJob(job, host, aborter.signal)) as BackupOutcome;
    } catch (error) {
      // The snapshot exists, whatever follows it, unless it is in the trash, or nobody can read it.
      if (!this.stored || (isUnusable(error) && !this.hasPruned)) throw error;
      return { ...this.stored, laterError: laterErrorOf(this.stored, error, this.hasPruned) };
    } finally {
      stop?.();
    }
  }

  emit(event: BackupEvent): Promise<void> {
    if ('isStoring' in event) this.isStoring = true;
    else if ('stored' in event) {
      this.hasPruned = this.stored !== undefined;
      this.isStoring = !this.hasPruned;
      this.stored = event.stored;
    } else this.progress = event;
    this.report();
    return Promise.resolve();
  }

  onSent(bytes: number): void {
    this.sent += bytes;
    this.report();
  }

  private report(): void {
    this.request.onProgress?.({ ...this.progress, sent: this.sent });
  }
}

/** @throws `not_found` without a repository, `invalid_input` for a wrong passphrase */
export async function findSnapshots(
  context: UploadContext,
  request: SnapshotSearch,
  call: CallOptions,
): Promise<FoundSnapshots> {
  const { choice } = request;
  const repository = { request, mode: 'trash', emit: () => Promise.resolve() } as const;
  const { result } = await withRepository(context, repository, call, (host, access) =>
    runSnapshotJob({ work: 'snapshots', access, choice } satisfies SnapshotJob, host, call.signal),
  );
  return result as FoundSnapshots;
}

interface RepositoryUse<Event> extends Pick<DriveBackendOptions, 'mode' | 'onSent'> {
  request: RepositoryAccess;
  emit: (event: Event) => Promise<void>;
}

type RepositoryWork<Event, T> = (host: SnapshotHost<Event>, access: Access) => Promise<T>;
type RepositoryResult<T> = { result: T } & Pick<
  DriveStore,
  'writtenBytes' | 'duplicateFolders' | 'leavesLock'
>;

/** Does work with the files of a repository. What it leaves behind, such as requests and a lock, is ended. */
export async function withRepository<Event, T>(
  context: UploadContext,
  use: RepositoryUse<Event>,
  call: CallOptions,
  work: RepositoryWork<Event, T>,
): Promise<RepositoryResult<T>> {
  if (call.signal?.aborted) throw cancelled();
  const { repositoryRuns } = context.drive;
  const capable = await withCapabilities(context, use.request.folderId, call);
  const aborter = new AbortController();
  const run = useRepository(capable, { ...use, aborter }, call, work);
  const ended = run.then(
    () => undefined,
    () => undefined,
  );
  repositoryRuns.set(aborter, ended);
  return run.finally(() => repositoryRuns.delete(aborter));
}

async function useRepository<Event, T>(
  context: UploadContext,
  { request, emit, aborter, ...options }: RepositoryUse<Event> & { aborter: AbortController },
  call: CallOptions,
  work: RepositoryWork<Event, T>,
): Promise<RepositoryResult<T>> {
  const { drive } = context;
  const stop = call.signal && onAbort(call.signal, () => aborter.abort());
  const own = { ...call, signal: aborter.signal };
  const store = new DriveStore(context, { folderId: request.folderId, ...options }, own);
  const { passphrase, cacheFolder, host, username } = request;
  const folder = request.folderName || request.folderId || '/';
  const retryFor = drive.engine.withRetryBudget(call).budget.remaining;
  const emitWaiting: SnapshotHost<Event>['emitWaiting'] = (holder) =>
    Promise.resolve(request.onWaiting?.(holder));
  const damaged = new Set<string>();
  const emitDamaged = (files: readonly string[]): Promise<void> => {
    for (const file of files) damaged.add(file);
    return Promise.resolve();
  };
  let result: T;
  try {
    result = await work(Object.assign(store, { emit, emitWaiting, emitDamaged }), {
      ...{ passphrase, cacheFolder, host, username, retryFor, place: store.place, folder },
    });
  } finally {
    stop?.();
    aborter.abort();
    await store.close();
  }
  const { writtenBytes, duplicateFolders, duplicateFiles, leavesLock } = store;
  for (const file of duplicateFiles) damaged.add(file);
  if (damaged.size > 0) request.onDamaged?.([...damaged]);
  return { result, writtenBytes, duplicateFolders, leavesLock };
}

function backupJob(request: SnapshotBackupRequest, access: Access): BackupJob {
  const { sources, exclude, tags, acceptChange, packSize, maxUnused, retention, calendar } = request;
  const rules = retention && hasRule(retention) ? retention : undefined;
  return {
    ...{ work: 'backup', access, sources, exclude, tags, acceptChange, packSize, maxUnused },
    ...{ retention: rules, timeZone: calendar.timeZone },
  };
}

/** Not if only a list, for example, couldn't be read. */
function isUnusable(error: unknown): boolean {
  return isInTrash(error) || (isDriveError(error) && error.text === 'bad_response_repository_access');
}

function isInTrash(error: unknown): boolean {
  return isDriveError(error) && error.text === 'conflict_repository_trashed';
}

function laterErrorOf(
  { snapshot: { shortId: id }, laterError }: BackupOutcome,
  error: unknown,
  hasPruned: boolean,
): ThreadError {
  if (isDriveError(error) && ['cancelled', 'partial_failure'].includes(error.code))
    return toThreadError(error);
  if (isInTrash(error))
    return toThreadError(
      new DriveError('partial_failure', { text: 'partial_failure_snapshot_trashed', params: { id } }),
    );
  // What the snapshot lacks, or what wasn't removed, matters more.
  if (laterError) return laterError;
  const reason = isDriveError(error) ? error.code : 'unknown';
  const text = hasPruned ? 'partial_failure_clean_up' : 'partial_failure_snapshot_list';
  return toThreadError(new DriveError('partial_failure', { text, params: { id, reason } }));
}

function toResult(
  { snapshot, backup, damagedPacks, pruned, laterError }: BackupOutcome,
  { leavesLock, ...totals }: { requests: number; uploadedBytes: number; leavesLock: boolean },
): Omit<SnapshotBackupResult, 'duplicateFolders'> {
  const failed = pruned.failed.map((each) => ({ ...each, error: fromThreadError(each.error) as DriveError }));
  const error = laterError && (fromThreadError(laterError) as DriveError);
  // A lock may have been removed in the end.
  const isOver = !leavesLock && error?.text === 'partial_failure_clean_up_lock';
  const later = error && !isOver && { laterError: error };
  const info = { snapshot, backup: { ...backup, ...totals }, damagedPacks };
  return { ...info, pruned: { ...pruned, failed }, ...later };
}

/** Characters. */
const MIN_PASSPHRASE = 8;

/** Checks a backup without a request. @throws `invalid_input`; `local_file` for a missing source */
export async function checkSnapshotBackup(
  request: Pick<SnapshotBackupRequest, 'sources' | 'exclude' | 'passphrase'>,
): Promise<void> {
  const { sources, exclude, passphrase } = request;
  if (passphrase.length < MIN_PASSPHRASE) {
    const params = { minimum: MIN_PASSPHRASE };
    throw new DriveError('invalid_input', { text: 'invalid_input_repository_passphrase_short', params });
  }
  await checkSources({ sources, isExcluded: createPathMatcher(exclude, 'exclude') });
}
