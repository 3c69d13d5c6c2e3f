/**
 * The content of an upload whose length isn't known and that can be read only once, such as an archive while it is
 * written. The bytes that the service hasn't confirmed stay in memory, so that they can be sent again.
 */
import { abortable } from '../../core/abort';
import type { BandwidthLimiter } from '../../core/bandwidth-limiter';
import { freeBuffer, largeBuffer } from '../../core/buffers';
import { type ChecksumAlgorithm, RunningHash } from '../../drive/checksums';
import type { BodySource } from '../../http/client';
import { ChunkStream, type UploadBody, throttleReader } from './hashing-body';
import { wholeUnits } from './resumable';
import type { ChunkReader } from './source';

/** Bytes of a request. At 100 ms for a response and 5 MB/s, half as much would be 6 % slower. */
const PART_SIZE = 8 * 1024 * 1024;
/**
 * One part is sent while most of the next one is read. The unconfirmed bytes are the most memory that a backup takes.
 */
const WINDOW_SIZE = 14 * 1024 * 1024;
/** Bytes of a chunk that is written to the socket. */
const CHUNK_SIZE = 512 * 1024;

interface StreamBodyOptions {
  /** Called with the bytes handed to the socket. */
  onProgress?: ((sent: number) => void) | undefined;
  /** Called when the upload gets further than ever before, and when more content was read. */
  onAdvance?: () => void;
  bandwidth?: BandwidthLimiter;
  signal?: AbortSignal | undefined;
}

export class StreamBody implements UploadBody {
  /** The unconfirmed bytes: the byte at offset n of the content is at n % WINDOW_SIZE. */
  private readonly window = largeBuffer(WINDOW_SIZE);
  /** Both, because the content can't be read again for the one that the service computes. */
  private readonly hash = new RunningHash(['sha256', 'md5']);
  private readonly content: AsyncIterator<Buffer>;
  private releasedEnd = 0;
  private readEnd = 0;
  /** The {@link readEnd} at the last request. */
  private preparedEnd = 0;
  private isComplete = false;
  /** True once the length is announced, with the last request. */
  private isLast = false;
  private isClosed = false;
  private error: Error | undefined;
  private reading: Promise<void> | undefined;
  /** Resolved and replaced at every change of the window. */
  private change = newSignal();
  private sentEnd = 0;
  private currentPosition = 0;

  /** @param content its memory may be reused after the next call */
  constructor(
    content: AsyncIterable<Buffer>,
    private readonly options: StreamBodyOptions = {},
  ) {
    this.content = content[Symbol.asyncIterator]();
  }

  get length(): number | undefined {
    return this.isLast ? this.readEnd : undefined;
  }

  get released(): number {
    return this.releasedEnd;
  }

  get end(): number {
    return this.readEnd;
  }

  get wasSent(): boolean {
    return this.isLast && this.sentEnd >= this.readEnd;
  }

  get position(): number {
    return this.currentPosition;
  }

  /** @returns the whole content if it has at most `limit` bytes, undefined if it is longer */
  async wholeIfSmall(limit: number): Promise<Buffer | undefined> {
    await this.until(() => this.isComplete || this.readEnd > limit);
    return this.readEnd <= limit ? this.window.subarray(0, this.readEnd) : undefined;
  }

  async prepare(start: number, limit: number): Promise<number> {
    this.release(start);
    // More than a part: the last request announces the length, so it must be known whether this is the last.
    await this.until(() => this.isComplete || this.readEnd - start > PART_SIZE);
    if (this.readEnd > this.preparedEnd) this.options.onAdvance?.();
    this.preparedEnd = this.readEnd;
    const available = this.readEnd - start;
    if (this.isComplete && available <= Math.min(limit - start, PART_SIZE)) this.isLast = true;
    if (this.isLast) return Math.min(limit, this.readEnd);
    return start + wholeUnits(Math.min(limit - start, PART_SIZE, available));
  }

  from(start: number, { end }: { end: number }): BodySource {
    return {
      length: end - start,
      open: () => {
        const aborter = new AbortController();
        const chunks = this.chunks(start, end);
        const { bandwidth } = this.options;
        const throttled = bandwidth?.isLimited ? throttleReader(chunks, bandwidth, aborter.signal) : chunks;
        return new ChunkStream(this.reported(throttled, start), aborter);
      },
    };
  }

  digest(algorithm: ChecksumAlgorithm): Promise<string> {
    return Promise.resolve(this.hash.digest(algorithm) as string);
  }

  /** The whole content, for a service without sessions. Must not be called after {@link prepare} has released any. */
  async *readAll(): AsyncGenerator<Buffer> {
    for (let position = 0; ; this.release(position)) {
      await this.until(() => this.isComplete || this.readEnd > position);
      if (position === this.readEnd) return;
      const next = this.chunks(position, this.readEnd);
      for (let chunk = await next(); chunk; chunk = await next()) {
        yield chunk;
        position += chunk.length;
      }
    }
  }

  /**
   * Frees the memory, for which the garbage collector takes several backups. Only for content that the service has
   * proved to have, with its checksum: otherwise a socket may still use the memory.
   */
  free(): void {
    freeBuffer(this.window);
  }

  /** Ends reading the content. Resolves when that has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.notify();
    await this.reading;
    // Ends a generator that was never started, too.
    await this.content.return?.().catch(() => undefined);
  }

  /** Resolves when the condition is true. @throws the error of the content, `cancelled` */
  private async until(condition: () => boolean): Promise<void> {
    this.reading ??= this.readContent();
    while (!condition()) {
      if (this.error) throw this.error;
      await abortable(this.change.promise, this.options.signal);
    }
  }

  private async readContent(): Promise<void> {
    try {
      for (let next = await this.content.next(); !next.done; next = await this.content.next()) {
        if (!(await this.write(next.value))) return;
      }
      this.isComplete = true;
    } catch (error) {
      this.error = error as Error;
    }
    this.notify();
  }

  /** @returns false if the body was closed meanwhile */
  private async write(chunk: Buffer): Promise<boolean> {
    for (let position = 0; position < chunk.length;) {
      while (!this.isClosed && this.room === 0) await this.change.promise;
      if (this.isClosed) return false;
      const offset = this.readEnd % WINDOW_SIZE;
      const size = Math.min(chunk.length - position, this.room, WINDOW_SIZE - offset);
      const part = chunk.subarray(position, position + size);
      this.window.set(part, offset);
      this.hash.update(part);
      this.readEnd += size;
      position += size;
      this.notify();
    }
    return !this.isClosed;
  }

  private get room(): number {
    return WINDOW_SIZE - (this.readEnd - this.releasedEnd);
  }

  private release(end: number): void {
    if (end <= this.releasedEnd) return;
    this.releasedEnd = end;
    this.notify();
  }

  private notify(): void {
    const { resolve } = this.change;
    this.change = newSignal();
    resolve();
  }

  private chunks(start: number, end: number): ChunkReader {
    let position = start;
    return () => {
      const offset = position % WINDOW_SIZE;
      const size = Math.min(CHUNK_SIZE, end - position, WINDOW_SIZE - offset);
      position += size;
      return Promise.resolve(size > 0 ? this.window.subarray(offset, offset + size) : undefined);
    };
  }

  private reported(next: ChunkReader, start: number): ChunkReader {
    let position = start;
    return async () => {
      // A request for the next chunk means that the earlier ones were handed to the socket.
      this.report(position);
      const chunk = await next();
      position += chunk?.length ?? 0;
      return chunk;
    };
  }

  private report(position: number): void {
    this.currentPosition = position;
    if (position <= this.sentEnd) return;
    this.sentEnd = position;
    this.options.onProgress?.(position);
    this.options.onAdvance?.();
  }
}

function newSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
