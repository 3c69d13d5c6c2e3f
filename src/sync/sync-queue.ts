/**
 * Runs synchronizations with the same folder, or with folders inside each other, one after the other if any of them
 * writes there: the later one finds what the earlier one has written. Uploads read on disk and write to the drive,
 * downloads the other way around. So two uploads from one folder to different ones don't wait for each other.
 */
import { DriveError, isDriveError } from '../errors';
import type { CallOptions } from '../types';
import { DiskFolderLock } from './disk-folder-lock';
import { DriveFolderLock, type LockContext, type LockedFolder, type TargetFolder } from './drive-folder-lock';
import { sync } from './sync';
import type { SyncRequest, SyncResult } from './sync-request';
import type { SyncContext } from './sync-run';

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
