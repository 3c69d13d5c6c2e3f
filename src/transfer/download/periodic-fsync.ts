/**
 * Flushes a file to disk while it is being written. Otherwise the system may hold back so much that the final sync
 * takes as long as the download itself.
 */
import type { FileHandle } from 'node:fs/promises';

/** Bytes between two syncs. */
const INTERVAL = 32 * 1024 * 1024;

/** One sync at a time for all downloads: each occupies one of the four threads that Node uses for all file access. */
let isSyncing = false;

export class PeriodicFsync {
  private syncedPosition = 0;
  private pending: Promise<void> | undefined;
  private error: Error | undefined;
  private running = false;

  /** While true, closing the file takes until the sync has finished. */
  get isRunning(): boolean {
    return this.running;
  }

  /**
   * @param position bytes written to the file
   * @throws the error of an earlier sync: the system reports it only once
   */
  onWritten(handle: FileHandle, position: number): void {
    if (this.error) throw this.error;
    if (isSyncing || position - this.syncedPosition < INTERVAL) return;
    this.syncedPosition = position;
    isSyncing = this.running = true;
    this.pending = handle
      .datasync()
      .catch((error: unknown) => void (this.error = error as Error))
      .finally(() => (isSyncing = this.running = false));
  }

  /** Resolves when everything is on disk. */
  async finish(handle: FileHandle): Promise<void> {
    await this.pending;
    if (this.error) throw this.error;
    this.running = true;
    await handle.sync().finally(() => (this.running = false));
  }
}
