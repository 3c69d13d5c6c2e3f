/**
 * Gathers small pieces and writes them together: connections give little at a time, over TLS 16 KiB, and a system call for
 * each costs more than all the rest of a download. What is gathered is copied into few blocks that are used again. One
 * write is in flight, the next is gathered meanwhile.
 */
import type { ByteSink, IntakeEvents } from './byte-sink';

/** Bytes. */
const BLOCK = 256 * 1024;
/** ms after which what has come is written though it fills no block: what is told, and what a kill leaves, is that. */
const LONGEST = 1_000;
/** Blocks that wait to be written before no more should come. */
const ENOUGH = 3;

export class BatchingWriter implements ByteSink {
  private readonly free: Buffer[] = [];
  private filling: Buffer | undefined;
  /** Bytes in it. */
  private size = 0;
  private full: Buffer[] = [];
  private writing: Promise<void> | undefined;
  private resume: (() => void) | undefined;
  private failure: Error | undefined;
  private passedOn: number;

  /**
   * @param write puts the buffers behind what was written before
   * @param now ms from any beginning
   */
  constructor(
    private readonly write: (buffers: readonly Buffer[]) => Promise<void>,
    private readonly events: IntakeEvents,
    private readonly now = (): number => performance.now(),
  ) {
    this.passedOn = now();
  }

  take(piece: Buffer): boolean {
    for (let taken = 0; taken < piece.length && !this.failure;) {
      const block = (this.filling ??= this.free.pop() ?? Buffer.allocUnsafeSlow(BLOCK));
      const copied = piece.copy(block, this.size, taken);
      taken += copied;
      this.size += copied;
      if (this.size === block.length) this.passOn();
    }
    if (this.now() - this.passedOn >= LONGEST) this.passOn();
    return this.full.length < ENOUGH;
  }

  async ready(): Promise<void> {
    if (this.full.length >= ENOUGH && !this.failure) await new Promise<void>((done) => (this.resume = done));
  }

  async end(): Promise<void> {
    this.passOn();
    await this.writing;
    if (this.failure) throw this.failure;
  }

  private passOn(): void {
    if (this.filling) this.full.push(this.filling.subarray(0, this.size));
    this.filling = undefined;
    this.size = 0;
    this.passedOn = this.now();
    if (this.full.length > 0) this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    while (this.full.length > 0 && !this.failure) {
      const blocks = this.full;
      this.full = [];
      this.resume?.();
      try {
        await this.write(blocks);
        this.free.push(...blocks.filter(({ length }) => length === BLOCK));
        this.events.onBytes();
      } catch (error) {
        this.failure = error as Error;
        this.resume?.();
        this.events.onFailure(this.failure);
      }
    }
    this.writing = undefined;
  }
}
