/**
 * Runs synchronizations to the same folder one after the other: the later one finds what the earlier one has written. On
 * disk, that includes folders inside each other. On the drive, it isn't known which folders are inside others.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { FolderLock } from '../concurrency/folder-lock';
import { Semaphore } from '../concurrency/semaphore';
import { rootId } from '../api/drive-context';
import type { CallOptions } from '../types';
import { sync } from './sync';
import type { SyncRequest, SyncResult } from './sync-request';
import type { SyncContext } from './sync-run';

interface Queue {
  turns: Semaphore;
  /** Runs that are in progress or waiting. */
  count: number;
}

/** Shared by all clients: two accounts may download to the same disk. */
const targets = new FolderLock();

export class SyncQueue {
  private readonly queues = new Map<string, Queue>();

  /** @throws as {@link sync}; `cancelled` while it waits */
  async run(context: SyncContext, request: SyncRequest, call: CallOptions): Promise<SyncResult> {
    const { service } = context.upload.drive;
    const { direction, localPath, folderId, dryRun } = request;
    if (dryRun) return sync(context, request, call);
    if (direction === 'down') {
      return targets.run(await realFolder(localPath), () => sync(context, request, call), call.signal);
    }
    const key = folderId || rootId(service);
    const queue = this.queues.get(key) ?? { turns: new Semaphore(1), count: 0 };
    this.queues.set(key, queue);
    queue.count += 1;
    try {
      return await queue.turns.run(() => sync(context, request, call), call.signal);
    } finally {
      queue.count -= 1;
      if (queue.count === 0) this.queues.delete(key);
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
