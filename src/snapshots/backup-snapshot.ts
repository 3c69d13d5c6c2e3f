/** Backs up local folders and files as snapshots in a repository of restic. This thread only transfers files. */
import { type ThreadError, fromThreadError, toThreadError } from '../archive/thread-error';
import { onAbort } from '../concurrency/on-abort';
import { type DriveError, cancelled, isDriveError, uncheckedError } from '../errors';
import { hasRule } from '../retention/retention';
import type { CallOptions } from '../types';
import type { UploadContext } from '../upload/upload';
import { checkSnapshotBackup } from './check-request';
import { DriveStore, type DriveStoreOptions } from './drive-store';
import type {
  Access,
  BackupEvent,
  BackupJob,
  BackupOutcome,
  SnapshotHost,
  SnapshotJob,
} from './snapshot-job';
import type {
  RepositoryAccess,
  SnapshotBackupRequest,
  SnapshotBackupResult,
  SnapshotInfo,
} from './snapshot-request';
import { runSnapshotJob } from './snapshot-thread';

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
  const counted = { requests: 0, sent: 0, progress: { entries: 0, bytes: 0 } };
  let stored: BackupOutcome | undefined;
  const report = (): void => request.onProgress?.({ ...counted.progress, sent: counted.sent });
  const onSent = (bytes: number): void => {
    counted.sent += bytes;
    report();
  };
  const emit = (event: BackupEvent): Promise<void> => {
    if ('stored' in event) stored = event.stored;
    else counted.progress = event;
    report();
    return Promise.resolve();
  };
  const onRequest = (): void => {
    counted.requests += 1;
    call.onRequest?.();
  };
  const { mode = 'trash' } = request;
  const repository = { request, mode, onSent, emit };
  const run = withRepository(context, repository, { ...call, onRequest }, async (host, access) => {
    const outcome = runSnapshotJob(backupJob(request, access), host, call.signal) as Promise<BackupOutcome>;
    return outcome.catch((error: unknown) => {
      // The snapshot exists, whatever follows it, unless it is in the trash.
      if (!stored || isTrashed(error)) throw error;
      return { ...stored, laterError: laterErrorOf(stored, error) };
    });
  });
  const { result, writtenBytes, duplicateFolders, leavesLock } = await run;
  const totals = { requests: counted.requests, uploadedBytes: writtenBytes, leavesLock };
  return { ...toResult(result, totals), duplicateFolders };
}

/** Newest first. @throws `not_found` without a repository, `invalid_input` for a wrong passphrase */
export async function listSnapshots(
  context: UploadContext,
  request: RepositoryAccess,
  call: CallOptions,
): Promise<SnapshotInfo[]> {
  const repository = { request, mode: 'trash', emit: () => Promise.resolve() } as const;
  const { result } = await withRepository(context, repository, call, (host, access) =>
    runSnapshotJob({ work: 'snapshots', access } satisfies SnapshotJob, host, call.signal),
  );
  return result as SnapshotInfo[];
}

interface RepositoryUse<Event> extends Pick<DriveStoreOptions, 'mode' | 'onSent'> {
  request: RepositoryAccess;
  emit: (event: Event) => Promise<void>;
}

/** Does work with the files of a repository. What it leaves behind, such as requests and a lock, is ended. */
export async function withRepository<Event, T>(
  context: UploadContext,
  { request, emit, ...options }: RepositoryUse<Event>,
  call: CallOptions,
  work: (host: SnapshotHost<Event>, access: Access) => Promise<T>,
): Promise<{ result: T } & Pick<DriveStore, 'writtenBytes' | 'duplicateFolders' | 'leavesLock'>> {
  const { drive } = context;
  if (call.signal?.aborted) throw cancelled();
  const aborter = new AbortController();
  const stop = call.signal && onAbort(call.signal, () => aborter.abort());
  const own = { ...call, signal: aborter.signal };
  const store = new DriveStore(context, { folderId: request.folderId, ...options }, own);
  const { passphrase, cacheFolder, host, username } = request;
  const folder = request.folderName || request.folderId || '/';
  const retryFor = drive.engine.withRetryBudget(call).budget.remaining;
  const emitWaiting: SnapshotHost<Event>['emitWaiting'] = (holder) =>
    Promise.resolve(request.onWaiting?.(holder));
  let result: T;
  try {
    result = await work(Object.assign(store, { emit, emitWaiting }), {
      ...{ passphrase, cacheFolder, host, username, retryFor, place: store.place, folder },
    });
  } finally {
    stop?.();
    aborter.abort();
    await store.close();
  }
  const { writtenBytes, duplicateFolders, leavesLock } = store;
  return { result, writtenBytes, duplicateFolders, leavesLock };
}

function backupJob(request: SnapshotBackupRequest, access: Access): BackupJob {
  const { sources, exclude, tags, packSize, maxUnused, retention, calendar } = request;
  const rules = retention && hasRule(retention) ? retention : undefined;
  return {
    ...{ work: 'backup', access, sources, exclude, tags, packSize, maxUnused },
    ...{ retention: rules, timeZone: calendar.timeZone },
  };
}

function isTrashed(error: unknown): boolean {
  return isDriveError(error) && error.text === 'conflict_repository_trashed';
}

function laterErrorOf(
  { snapshot: { shortId: id }, backup, laterError }: BackupOutcome,
  error: unknown,
): ThreadError {
  if (isDriveError(error) && ['cancelled', 'partial_failure'].includes(error.code))
    return toThreadError(error);
  // What the snapshot lacks matters more.
  if (laterError && !backup.complete) return laterError;
  const reason = isDriveError(error) ? error.code : 'unknown';
  return toThreadError(uncheckedError('partial_failure', 'partial_failure_clean_up', { id, reason }));
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
