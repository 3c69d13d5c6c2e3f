/**
 * Runs synchronizations with the same folder, or with folders inside each other, one after the other if any of them
 * writes there: the later one finds what the earlier one has written. Uploads read on disk and write to the drive,
 * downloads the other way around. So two uploads from one folder to different ones don't wait for each other.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions } from '../types';
import { DriveFolderLock, type LockContext, type LockedFolder, type TargetFolder } from './drive-folder-lock';
import { sync } from './sync';
import type { SyncRequest, SyncResult } from './sync-request';
import type { SyncContext } from './sync-run';
import { abortable } from '../core/abort';
import { type FolderAccess, foldersOnDisk } from '../core/folder-lock';
import { TimeLimit } from '../core/clock';
import { realPathOf } from '../fs/durable';

/** ms. A network share that is gone may never answer, and work in other folders mustn't wait for it. */
const MAX_WAIT = 10_000;

/**
 * The lock of a folder on disk, which may be given by a path with symbolic links. Only in this process: other processes
 * are safe by part files, which replace only what was listed.
 */
export class DiskFolderLock {
  /** Work waits in the order in which it arrives, unless a path takes very long to resolve. */
  private arrivals: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly resolve: (folder: string) => Promise<string> = realPathOf,
    private readonly maxWait = MAX_WAIT,
  ) {}

  /**
   * @param call with `prepare`, which runs before the folder is locked. Work doesn't overtake earlier work in the
   *   meantime.
   * @throws `cancelled` if the signal is aborted before the work starts; as `prepare`
   */
  async run<T>(
    folder: string,
    work: () => Promise<T>,
    call: CallOptions & { access: FolderAccess; prepare?: () => Promise<void> },
  ): Promise<T> {
    const { arrivals } = this;
    const resolved = (call.prepare?.() ?? Promise.resolve()).then(() => this.resolve(folder));
    // Without the results: otherwise, each would keep all earlier ones.
    this.arrivals = Promise.all([arrivals, endOrLimit(resolved, this.maxWait)]).then(() => undefined);
    await abortable(arrivals, call.signal);
    return foldersOnDisk.run(await abortable(resolved, call.signal), work, call);
  }

  /** @returns whether work in the folder, or in one inside or around it, is running or waiting */
  async isInUse(folder: string): Promise<boolean> {
    return foldersOnDisk.isInUse(await this.resolve(folder));
  }
}

function endOrLimit(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = new TimeLimit(ms, resolve);
    const end = (): void => {
      limit.stop();
      resolve();
    };
    void work.then(end, end);
  });
}

/** Shared by all clients: two accounts may use the same folder on disk. */
const onDisk = new DiskFolderLock();

export class SyncQueue {
  private readonly onDrive: DriveFolderLock;

  constructor(private readonly context: LockContext) {
    this.onDrive = new DriveFolderLock(context);
  }

  /** @throws as {@link sync}; `cancelled` while it waits */
  async run(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncResult> {
    if (request.dryRun) return this.preview(context, request, call);
    const { direction, localPath } = request;
    const isUp = direction === 'up';
    const run = ({ id, create }: LockedFolder): Promise<SyncResult> =>
      sync({ ...context, createFolder: create }, { ...request, folderId: id }, call);
    // Always in this order. A run that waits for the drive then waits only for runs that no longer wait for the disk,
    // so no two runs wait for each other.
    return onDisk.run(
      localPath,
      () => this.onDrive.run(this.targetOf(request), run, { ...call, access: isUp ? 'write' : 'read' }),
      { ...call, access: isUp ? 'read' : 'write', prepare: context.finishRestores },
    );
  }

  /** Doesn't wait for other runs, whose unfinished files it sees as missing. */
  private async preview(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncResult> {
    const isInUse = (): Promise<boolean> => onDisk.isInUse(request.localPath);
    const wasInUse = await isInUse();
    const folderId = await this.findFolder(request, call);
    const result = await sync(context, { ...request, folderId }, call);
    return { ...result, isDuringRun: wasInUse || (await isInUse()) };
  }

  /** Folders that were cached during the wait for the disk may be outdated too. */
  private targetOf({ folderId, folderPath }: SyncRequest): TargetFolder {
    if (folderPath) {
      const { cacheEpoch } = folderPath;
      return {
        ...folderPath,
        cacheEpoch: cacheEpoch === undefined ? undefined : this.context.paths.cacheEpoch(),
      };
    }
    if (folderId === undefined) throw new DriveError('not_found');
    return folderId;
  }

  /** @returns undefined for a path that a run would create */
  private async findFolder(
    { folderId, folderPath }: SyncRequest,
    call: CallOptions,
  ): Promise<string | undefined> {
    if (!folderPath) return folderId;
    const { createMissing } = folderPath;
    try {
      const path = { ...folderPath, createMissing: false, refusesFiles: true };
      return await this.context.paths.resolveFolder(path, call);
    } catch (error) {
      if (createMissing && isDriveError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}
