/**
 * Copies the small chunks of a response into larger blocks and writes several blocks with one call. TLS delivers at
 * most 16 KiB at a time, and one system call per chunk would cost more than the rest of the download. Blocks are
 * reused, and one write is in flight while the next block fills.
 */
import { freeBuffer, type ByteSink } from '../../core/buffers';
import type { SinkEvents } from './fetch-content';
import type { FileHandle } from 'node:fs/promises';

/** Bytes. */
const BLOCK_SIZE = 256 * 1024;
/**
 * ms after which a partly filled block is written: for the progress display, and to lose little if Node-RED is killed.
 */
const MAX_DELAY = 1_000;
/** Full blocks at which the caller has to wait. */
const MAX_QUEUED = 3;

export class BatchingWriter implements ByteSink {
  private readonly freeBlocks: Buffer[] = [];
  private block: Buffer | undefined;
  /** Bytes used in `block`. */
  private filled = 0;
  private queue: Buffer[] = [];
  private flushing: Promise<void> | undefined;
  private lastFlush: number;
  private resolveDrained: (() => void) | undefined;
  private error: Error | undefined;

  /**
   * @param append writes the blocks after those of earlier calls
   * @param now ms
   */
  constructor(
    private readonly append: (blocks: readonly Buffer[]) => Promise<void>,
    private readonly events: SinkEvents,
    private readonly now = (): number => performance.now(),
  ) {
    this.lastFlush = now();
  }

  write(chunk: Buffer): boolean {
    for (let offset = 0; offset < chunk.length && !this.error;) {
      const block = (this.block ??= this.freeBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_SIZE));
      const copied = chunk.copy(block, this.filled, offset);
      offset += copied;
      this.filled += copied;
      if (this.filled === block.length) this.flushBlock();
    }
    if (this.now() - this.lastFlush >= MAX_DELAY) this.flushBlock();
    return this.queue.length < MAX_QUEUED;
  }

  async drained(): Promise<void> {
    if (this.queue.length < MAX_QUEUED || this.error) return;
    await new Promise<void>((resolve) => (this.resolveDrained = resolve));
  }

  async end(): Promise<void> {
    this.flushBlock();
    await this.flushing;
    if (this.error) throw this.error;
    // Many files in a row would otherwise cause as many garbage collections.
    for (const block of this.freeBlocks.splice(0)) freeBuffer(block);
  }

  private flushBlock(): void {
    if (this.block) this.queue.push(this.block.subarray(0, this.filled));
    this.block = undefined;
    this.filled = 0;
    this.lastFlush = this.now();
    if (this.queue.length > 0) this.flushing ??= this.flushQueue();
  }

  private async flushQueue(): Promise<void> {
    while (this.queue.length > 0 && !this.error) {
      const blocks = this.queue;
      this.queue = [];
      this.resolveDrained?.();
      try {
        await this.append(blocks);
        for (const { buffer } of blocks) this.freeBlocks.push(Buffer.from(buffer));
        this.events.onWritten();
      } catch (error) {
        this.error = error as Error;
        this.resolveDrained?.();
        this.events.onError(this.error);
      }
    }
    this.flushing = undefined;
  }
}

/** Bytes between two syncs. */
const INTERVAL = 32 * 1024 * 1024;

/** One sync at a time for all downloads: each occupies one of the four threads that Node uses for all file access. */
let isSyncing = false;

/**
 * Flushes a file to disk while it is being written. Otherwise the system may hold back so much that the final sync
 * takes as long as the download itself.
 */
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
