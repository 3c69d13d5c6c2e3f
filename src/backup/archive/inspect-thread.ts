/** Runs an inspection in a worker thread, and sends it the bytes of the archive. */
import { onAbort } from '../../core/on-abort';
import { cancelled } from '../../errors';
import type { ByteSink } from '../../core/byte-sink';
import type { CallOptions } from '../../types';
import type { ArchiveJob } from './archive-job';
import { ArchiveThread } from './archive-thread';
import { archiveWorkerFile } from './libraries';
import type { InspectJob, Inspected } from '../entries/inspection';
import type { ArchiveTotals, ListedEntry } from '../entries/listed-entry';

/** From the main thread: bytes, their end, or that more entries may follow. */
export type FeedMessage = ArrayBuffer | null | 'more';

export type InspectMessage =
  | { taken: number; isComplete: false }
  | { totals: ArchiveTotals; isComplete: false }
  | { entries: ListedEntry[]; isComplete: false }
  | (Inspected & { isComplete: true });

/** Bytes on their way to the thread. */
const MAX_SENT = 1024 * 1024;
/** Bytes of a message: the service's chunks are smaller. */
const MESSAGE_SIZE = 256 * 1024;

export interface InspectOptions extends Pick<CallOptions, 'signal'> {
  onEntry?: ((totals: ArchiveTotals) => void) | undefined;
  onEntries?: ((entries: ListedEntry[]) => Promise<void>) | undefined;
}

/** One inspection. The bytes of the archive are written to it. */
export class InspectThread implements ByteSink {
  private readonly thread: ArchiveThread<InspectMessage>;
  private message = Buffer.allocUnsafeSlow(MESSAGE_SIZE);
  private filled = 0;
  private sent = 0;
  private wake = (): void => undefined;
  private running: Promise<unknown> = Promise.resolve();
  /** Whether the thread takes no more bytes. Those that follow are ignored. */
  private hasEnded = false;

  constructor(
    job: InspectJob,
    private readonly options: InspectOptions,
  ) {
    this.thread = new ArchiveThread({ work: 'inspect', ...job } satisfies ArchiveJob, archiveWorkerFile());
  }

  /** Call once. @throws `cancelled`, and the errors of the inspection */
  run(): Promise<Inspected> {
    const running = this.receive();
    this.running = running.catch(() => undefined);
    return running;
  }

  /** Resolves when nothing runs any more. */
  async ended(): Promise<void> {
    await this.running;
  }

  private async receive(): Promise<Inspected> {
    const { signal, onEntry, onEntries } = this.options;
    const stop = signal && onAbort(signal, () => this.thread.fail(cancelled()));
    try {
      for (;;) {
        const message = await this.thread.next();
        if (message.isComplete) return { totals: message.totals, differences: message.differences };
        if ('totals' in message) onEntry?.(message.totals);
        else if ('taken' in message) this.take(message.taken);
        else {
          await onEntries?.(message.entries);
          this.thread.post('more' satisfies FeedMessage);
        }
      }
    } finally {
      stop?.();
      this.hasEnded = true;
      this.take(this.sent);
      await this.thread.end();
    }
  }

  write(chunk: Buffer): boolean {
    for (let position = 0; position < chunk.length && !this.hasEnded;) {
      const copied = chunk.copy(this.message, this.filled, position);
      this.filled += copied;
      position += copied;
      if (this.filled === MESSAGE_SIZE) this.flush();
    }
    return this.sent < MAX_SENT;
  }

  async drained(): Promise<void> {
    while (this.sent >= MAX_SENT) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  /** After the last byte of the archive. */
  finish(): void {
    this.flush();
    this.thread.post(null satisfies FeedMessage);
  }

  private flush(): void {
    if (this.filled === 0 || this.hasEnded) return;
    const { buffer } = this.message;
    const part = this.filled === MESSAGE_SIZE ? buffer : buffer.slice(0, this.filled);
    this.sent += this.filled;
    this.thread.give(part);
    this.message = Buffer.allocUnsafeSlow(MESSAGE_SIZE);
    this.filled = 0;
  }

  private take(length: number): void {
    this.sent -= length;
    this.wake();
  }
}
