/**
 * Copies the small chunks of a response into larger blocks and writes several blocks with one call. TLS delivers at
 * most 16 KiB at a time, and one system call per chunk would cost more than the rest of the download. Blocks are
 * reused, and one write is in flight while the next block fills.
 */
import { freeBuffer } from '../../core/free-buffer';
import type { ByteSink } from '../../core/byte-sink';
import type { SinkEvents } from './destination';

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
