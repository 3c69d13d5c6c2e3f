/**
 * Brings what is written to the disk while more is still to come. The system would put it off, and the last sync would
 * then take as long again as the whole download.
 */
import type { FileHandle } from 'node:fs/promises';

/** Bytes between two syncs: each costs the disk a turn of its own. */
const EVERY = 32 * 1024 * 1024;

/** One at a time, of all downloads: each keeps one of the few threads that all of Node's file access shares. */
let isBusy = false;

export class PeriodicFsync {
  private synced = 0;
  private running: Promise<void> | undefined;
  private failure: Error | undefined;
  private ongoing = false;

  /** Whether the disk is at work: the file is closed no sooner. */
  get isOngoing(): boolean {
    return this.ongoing;
  }

  /**
   * @param position bytes in the file
   * @throws what an earlier sync failed with: the system says it only once
   */
  reached(handle: FileHandle, position: number): void {
    if (this.failure) throw this.failure;
    if (isBusy || position - this.synced < EVERY) return;
    this.synced = position;
    isBusy = this.ongoing = true;
    this.running = handle
      .datasync()
      .catch((error: unknown) => void (this.failure = error as Error))
      .finally(() => (isBusy = this.ongoing = false));
  }

  /** Everything, for sure. */
  async last(handle: FileHandle): Promise<void> {
    await this.running;
    if (this.failure) throw this.failure;
    this.ongoing = true;
    await handle.sync().finally(() => (this.ongoing = false));
  }
}
