/**
 * Runs synchronizations to the same folder, or to folders inside each other, one after the other: the later one finds
 * what the earlier one has written.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { DriveError } from '../errors';
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

  constructor(context: LockContext) {
    this.uploads = new DriveFolderLock(context);
  }

  /** @throws as {@link sync}; `cancelled` while it waits */
  async run(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncResult> {
    const { direction, localPath, folderPath, dryRun } = request;
    if (dryRun) return sync(context, request, call);
    if (direction === 'down') {
      return targets.run(await realFolder(localPath), () => sync(context, request, call), call.signal);
    }
    const target = folderPath ?? request.folderId;
    if (target === undefined) throw new DriveError('not_found');
    return this.uploads.run(target, (folderId) => sync(context, { ...request, folderId }, call), call);
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
