/**
 * Runs synchronizations to the same folder, or to folders inside each other, one after the other: the later one finds
 * what the earlier one has written.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { DriveError, isDriveError } from '../errors';
import { FolderLock } from '../concurrency/folder-lock';
import type { CallOptions } from '../types';
import { DriveFolderLock, type LockContext } from './drive-folder-lock';
import { sync } from './sync';
import type { SyncRequest, SyncResult } from './sync-request';
import type { SyncContext } from './sync-run';

/** Shared by all clients: two accounts may download to the same disk. */
const targets = new FolderLock();

export class SyncQueue {
  private readonly uploads: DriveFolderLock;

  constructor(private readonly context: LockContext) {
    this.uploads = new DriveFolderLock(context);
  }

  /** @throws as {@link sync}; `cancelled` while it waits */
  async run(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncResult> {
    const { direction, localPath, folderPath, dryRun } = request;
    const run = async (): Promise<SyncResult> => {
      return sync(context, { ...request, folderId: await this.findFolder(request, call) }, call);
    };
    if (dryRun) return run();
    if (direction === 'down') return targets.run(await realFolder(localPath), run, call);
    const target = folderPath ?? request.folderId;
    if (target === undefined) throw new DriveError('not_found');
    return this.uploads.run(target, (folderId) => sync(context, { ...request, folderId }, call), call);
  }

  /** @returns undefined for a path that a run would create */
  private async findFolder(
    { folderId, folderPath }: SyncRequest,
    call: CallOptions,
  ): Promise<string | undefined> {
    if (!folderPath) return folderId;
    const { createMissing } = folderPath;
    try {
      const path = { ...folderPath, createMissing: false, refusesFiles: createMissing };
      return await this.context.paths.resolveFolder(path, call);
    } catch (error) {
      if (createMissing && isDriveError(error, 'not_found')) return undefined;
      throw error;
    }
  }
}

/** Without symbolic links in the part of the path that exists. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(await realFolder(parent), path.basename(folder));
  }
}
