/** What all steps of one synchronization share: its plan, what was done so far, and when it has to stop. */
import path from 'node:path';
import { DriveError, type ErrorCode, cancelled, isDriveError } from '../errors';
import type { RootFolder } from '../drive/root-folder';
import type { CallOptions } from '../types';
import { BufferPool } from '../core/buffers';
import { PinnedFolder } from '../fs/pinned-folder';
import type { UploadContext } from '../transfer/upload/upload';
import type { CreateFolderResult } from '../drive/create-folder';
import type { Plan } from './plan';
import { type SyncFile, type SyncFolder, filePath } from './sync-folder';
import type { SyncAction, SyncProgress, SyncReason, SyncRequest, SyncResult } from './sync-request';

/** Bytes that are hashed at once, which blocks the event loop. */
export const CHUNK_SIZE = 256 * 1024;

/** What a synchronization uses of its account. */
export interface SyncContext {
  upload: UploadContext;
  rootFolder: RootFolder;
  /** Removes a file or folder on the drive. */
  remove: (id: string, mode: 'trash' | 'delete', call: CallOptions) => Promise<void>;
  /** Finishes what interrupted restores have left in the folder on disk. Not called for a dry run. */
  finishRestores: () => Promise<void>;
  /** Creates the folder on the drive if it doesn't exist yet. */
  createFolder?: (() => Promise<CreateFolderResult>) | undefined;
}

/** Errors that every other file would get too. */
const STOPPING: readonly ErrorCode[] = [
  'cancelled',
  'sign_in_required',
  'not_configured',
  'insecure_url',
  'quota_exceeded',
];
/** Quotas of a single file or folder. */
const OWN_QUOTAS: readonly string[] = ['quota_exceeded_download', 'quota_exceeded_children'];
const DISK_FULL: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EROFS'];
/** Failures in a row, without any success, after which the cause is probably not the file. */
const MAX_IN_A_ROW: Readonly<Partial<Record<ErrorCode, number>>> = {
  network: 3,
  timeout: 3,
  service_unavailable: 3,
  rate_limited: 3,
  permission_denied: 20,
};

export class SyncRun {
  /** The options for requests; aborted when the run stops. */
  readonly call: CallOptions;
  private readonly aborter = new AbortController();
  private readonly abort = (): void => this.aborter.abort();
  /** The error that stopped the run: a DriveError, or a mistake in this program. */
  private stoppedBy: unknown;
  private readonly inARow = new Map<ErrorCode, number>();
  /** The error of a folder is repeated for each file in it. */
  private readonly counted = new WeakSet<DriveError>();
  private readonly progress: Omit<SyncProgress, 'path'>;
  /** Transferred. */
  private bytes = 0;

  readonly top: SyncFolder;
  readonly plan: Plan;
  private readonly outerSignal: AbortSignal | undefined;
  /** On disk, for writing. */
  readonly folders = new PinnedFolders();
  /** Whether a folder on the drive is where it was listed, and when that was found out. */
  readonly inPlace = new Map<SyncFolder, { at: number; result: Promise<boolean> }>();
  /** When the lists began. As {@link now}. */
  readonly listedAt: number;
  /** For computing checksums. */
  readonly memory = new BufferPool(CHUNK_SIZE);

  constructor(
    readonly context: SyncContext,
    readonly request: SyncRequest,
    { top, plan, listedAt, call }: { top: SyncFolder; plan: Plan; listedAt: number; call: CallOptions },
  ) {
    this.top = top;
    this.plan = plan;
    this.listedAt = listedAt;
    this.outerSignal = call.signal;
    this.call = { ...call, signal: this.aborter.signal };
    call.signal?.addEventListener('abort', this.abort);
    if (call.signal?.aborted) this.abort();
    const total = plan.transfers.length + plan.comparisons.length;
    this.progress = { done: 0, total, bytes: 0, totalBytes: plan.bytes, resumedBytes: 0 };
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Monotonic ms. */
  get now(): number {
    return this.context.upload.drive.clock.monotonic();
  }

  localPath(file: Pick<SyncFile, 'folder' | 'name'>): string {
    return path.join(this.request.localPath, filePath(file));
  }

  /** The id for the `parents` of a new file: `''` for the root. */
  parentId(folder: SyncFolder): string {
    return folder === this.top && this.request.folderId === '' ? '' : (folder.driveId ?? '');
  }

  /** A file that was created, updated or removed. */
  succeeded(
    file: SyncFile,
    action: SyncAction,
    { id, reason, bytes }: { id?: string; reason?: SyncReason; bytes?: number } = {},
  ): void {
    const size = action === 'removed' ? this.sizeAtDestination(file) : (this.plan.sizeOf(file) ?? bytes);
    const isTransfer = action !== 'removed' && reason !== 'time';
    if (isTransfer) this.bytes += size ?? 0;
    const note = reason ?? (file.isRenamed && isTransfer ? 'renamed' : undefined);
    this.plan.changes.add({ path: filePath(file), action, id: id ?? file.remote?.id, size, reason: note });
    this.inARow.clear();
  }

  unchanged(): void {
    this.plan.unchanged += 1;
    this.inARow.clear();
  }

  skipped(file: SyncFile, reason: SyncReason): void {
    this.plan.changes.add({ path: filePath(file), action: 'skipped', id: file.remote?.id, reason });
  }

  /** Records the error, unless it stops the run. @throws it if it does */
  failed(path: string, error: unknown, id?: string): void {
    if (!isDriveError(error)) throw this.stop(error);
    if (this.isStopping(error)) throw this.stop(error);
    this.plan.changes.add({ path, action: 'failed', id, error });
  }

  /** Ends what is in progress. @returns the first error, of which later ones are only a consequence */
  stop(error: unknown): unknown {
    if (this.signal.aborted) return this.stoppedBy ?? error;
    this.stoppedBy = error;
    this.abort();
    return error;
  }

  /** Reports the bytes of one file while it is transferred. */
  track(file: SyncFile): FileProgress {
    const current = { bytes: 0, resumed: 0 };
    const path = filePath(file);
    const update = (bytes: number, resumed = 0): void => {
      this.progress.bytes += bytes - current.bytes;
      this.progress.resumedBytes += resumed - current.resumed;
      Object.assign(current, { bytes, resumed });
      this.report(path);
    };
    return {
      update,
      discard: () => update(0),
      complete: () => update(this.plan.sizeOf(file) ?? current.bytes, current.resumed),
    };
  }

  /** A comparison has shown that the file has to be transferred. */
  expectBytes(file: SyncFile): void {
    this.progress.totalBytes += this.plan.sizeOf(file) ?? 0;
  }

  fileDone(path: string): void {
    this.progress.done += 1;
    this.report(path);
  }

  /** Call it once nothing is in progress. */
  result(): SyncResult {
    this.outerSignal?.removeEventListener('abort', this.abort);
    const { direction, dryRun } = this.request;
    const { changes: list, unchanged } = this.plan;
    const { created, updated, removed, skipped, failed } = list.counts;
    const counts = { created, updated, unchanged, removed, skipped, failed };
    const result = { summary: { direction, dryRun, ...counts, bytes: this.bytes }, ...list.list() };
    const params = { failed, count: Object.values(counts).reduce((sum, count) => sum + count, 0) };
    const partial =
      failed > 0 ? new DriveError('partial_failure', { text: 'partial_failure_sync', params }) : undefined;
    const stoppedBy = isDriveError(this.stoppedBy) ? this.stoppedBy : undefined;
    const error = this.outerSignal?.aborted ? cancelled() : (stoppedBy ?? partial);
    return error ? { ...result, error } : result;
  }

  get hasFailed(): boolean {
    return this.plan.changes.counts.failed > 0;
  }

  private report(path: string): void {
    this.request.onProgress?.({ ...this.progress, path });
  }

  private sizeAtDestination({ local, remote }: SyncFile): number | undefined {
    return this.plan.isUp ? remote?.size : local?.size;
  }

  private isStopping(error: DriveError): boolean {
    const { code, text, reason } = error;
    if (OWN_QUOTAS.includes(text) && !this.signal.aborted) return false;
    if (STOPPING.includes(code) || this.signal.aborted) return true;
    if (code === 'local_file') return DISK_FULL.includes(reason);
    const limit = MAX_IN_A_ROW[code];
    if (limit === undefined || this.counted.has(error)) return false;
    this.counted.add(error);
    const count = (this.inARow.get(code) ?? 0) + 1;
    this.inARow.set(code, count);
    return count >= limit;
  }
}

export interface FileProgress {
  /** @param resumed bytes of an earlier run, 0 by default */
  update(bytes: number, resumed?: number): void;
  /** Nothing of the file was stored. */
  discard(): void;
  complete(): void;
}

/** Folders that stay open without a user. */
const MAX_IDLE = 16;

interface SharedFolder {
  path: string;
  opened: Promise<PinnedFolder>;
  users: number;
}

export class PinnedFolders {
  private readonly folders = new Map<string, SharedFolder>();

  /** Runs `work` with an open folder that is at its path. @throws as {@link PinnedFolder.open} */
  async use<T>(path: string, work: (folder: PinnedFolder) => Promise<T>): Promise<T> {
    const existing = this.folders.get(path);
    const shared = existing ?? { path, opened: PinnedFolder.open(path), users: 0 };
    this.folders.set(path, shared);
    shared.users += 1;
    try {
      const folder = await this.open(shared, existing === undefined);
      if (folder) return await work(folder);
    } finally {
      shared.users -= 1;
      await this.closeUnused(shared);
    }
    // Another folder may have taken its place.
    return this.use(path, work);
  }

  /** Call it once nothing is in progress. */
  async close(): Promise<void> {
    for (const shared of this.folders.values()) await close(shared);
    this.folders.clear();
  }

  /** @returns undefined if the folder isn't at its path any more */
  private async open(shared: SharedFolder, isNew: boolean): Promise<PinnedFolder | undefined> {
    try {
      const folder = await shared.opened;
      if (isNew || (await isInPlace(folder))) return folder;
    } catch (error) {
      this.forget(shared);
      throw error;
    }
    this.forget(shared);
    return undefined;
  }

  private forget(shared: SharedFolder): void {
    if (this.folders.get(shared.path) === shared) this.folders.delete(shared.path);
  }

  private async closeUnused(last: SharedFolder): Promise<void> {
    if (last.users === 0 && this.folders.get(last.path) !== last) await close(last);
    const idle = [...this.folders.values()].filter(({ users }) => users === 0);
    const [oldest] = idle;
    if (!oldest || idle.length <= MAX_IDLE) return;
    this.folders.delete(oldest.path);
    await close(oldest);
  }
}

async function isInPlace(folder: PinnedFolder): Promise<boolean> {
  try {
    await folder.check();
    return true;
  } catch {
    return false;
  }
}

async function close({ opened }: SharedFolder): Promise<void> {
  const folder = await opened.catch(() => undefined);
  await folder?.close();
}
