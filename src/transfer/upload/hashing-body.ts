/** Request bodies read from a source: the bytes are hashed, throttled and counted as they pass. */
import { Readable } from 'node:stream';
import { cancelled } from '../../errors';
import { type ChecksumAlgorithm, RunningHash } from '../../drive/checksums';
import type { BandwidthLimiter } from '../../core/bandwidth-limiter';
import type { BodySource } from '../../http/client';
import type { OnProgress } from '../../types';
import type { ChunkReader, Source } from './source';

interface HashingBodyOptions {
  onProgress?: OnProgress | undefined;
  /** Called when the upload gets further than ever before. */
  onAdvance?: () => void;
  /** Bytes that an earlier run has sent, default 0. */
  resumed?: number;
  bandwidth?: BandwidthLimiter;
  /** Aborts reading that only serves the checksum. */
  signal?: AbortSignal | undefined;
}

interface BodyRange {
  /** Where the content ends, by default at the end of the source. */
  end?: number;
  /** Bytes to send before and after the content. */
  before?: Buffer;
  after?: Buffer;
}

/** The content of an upload session, as its requests need it. */
export interface UploadBody {
  /** Bytes of the whole content; undefined for a stream until its last request. */
  readonly length: number | undefined;
  /** The bytes before this were released and can't be sent again: 0 for content that can be read repeatedly. */
  readonly released: number;
  /** The end of the bytes that are known so far. The service can't have stored more. */
  readonly end: number;
  /** True once the whole content has been handed to a socket. */
  readonly wasSent: boolean;
  /** How far the current request has got: everything before was handed to the socket. */
  readonly position: number;
  /**
   * Makes the bytes from `start` available. The service has stored those before, so a stream releases them.
   * @param limit the highest end of the request
   * @returns the end of the request. Unless it is the end of the content, the length is a multiple of 256 KiB.
   */
  prepare(start: number, limit: number): Promise<number>;
  /** The bytes from `start` up to `end`, which {@link prepare} has returned. */
  from(start: number, range: { end: number }): BodySource;
  /** @returns the checksum of the whole content */
  digest(algorithm: ChecksumAlgorithm): Promise<string>;
}

export class HashingBody implements UploadBody {
  readonly released = 0;
  private readonly hash: RunningHash;
  private maxPosition = 0;
  private currentPosition = 0;
  private resumed: number;

  constructor(
    private readonly source: Source,
    algorithms: readonly ChecksumAlgorithm[],
    private readonly options: HashingBodyOptions = {},
  ) {
    this.hash = new RunningHash(algorithms.filter((algorithm) => this.known(algorithm) === undefined));
    this.resumed = options.resumed ?? 0;
  }

  get length(): number {
    return this.source.length;
  }

  get end(): number {
    return this.length;
  }

  /** True once the whole content has been handed to a socket. */
  get wasSent(): boolean {
    return this.maxPosition >= this.length;
  }

  /** Everything before this position of the current body was handed to the socket. */
  get position(): number {
    return this.currentPosition;
  }

  from(start: number, { end = this.length, before, after }: BodyRange = {}): BodySource {
    return {
      length: (before?.length ?? 0) + end - start + (after?.length ?? 0),
      open: () => {
        // A new session starts at 0, whatever the earlier one had stored.
        this.resumed = Math.min(this.resumed, start);
        const aborter = this.options.bandwidth?.isLimited ? new AbortController() : undefined;
        const content = this.hashed(this.throttled(start, end, aborter?.signal), start);
        return new ChunkStream(framed(content, before, after), aborter);
      },
    };
  }

  /**
   * Hashes what the service has stored from an earlier run. Done before a request starts, because reading may take long
   * enough for the service to time out.
   */
  async prepare(start: number, limit: number): Promise<number> {
    await this.hashSource(this.hash, start);
    return Math.min(limit, this.length);
  }

  /** @returns the checksum of the whole content, which is read again if another algorithm was computed so far */
  async digest(algorithm: ChecksumAlgorithm): Promise<string> {
    const known = this.known(algorithm);
    if (known !== undefined) return known;
    let hash = this.hash;
    if (hash.digest(algorithm) === undefined) hash = new RunningHash([algorithm]);
    await this.hashSource(hash, this.length);
    return hash.digest(algorithm) as string;
  }

  private known(algorithm: ChecksumAlgorithm): string | undefined {
    return algorithm === 'sha256' ? this.source.sha256 : undefined;
  }

  private throttled(start: number, end: number, signal?: AbortSignal): ChunkReader {
    const { bandwidth } = this.options;
    const chunks = this.source.readFrom(start, end);
    return bandwidth?.isLimited ? throttleReader(chunks, bandwidth, signal) : chunks;
  }

  private hashed(next: ChunkReader, start: number): ChunkReader {
    let position = start;
    return async () => {
      // The service may have stored more than this process has read; the checksum covers those bytes too.
      await this.hashSource(this.hash, position);
      this.report(position);
      const chunk = await next();
      if (chunk) {
        this.hash.update(chunk, position);
        position += chunk.length;
      }
      return chunk;
    };
  }

  /** A request for the next chunk means that the earlier ones were handed to the socket. */
  private report(position: number): void {
    this.currentPosition = position;
    this.options.onProgress?.(position, this.length, this.resumed);
    if (position <= this.maxPosition) return;
    this.maxPosition = position;
    this.options.onAdvance?.();
  }

  private async hashSource(hash: RunningHash, end: number): Promise<void> {
    let { position } = hash;
    if (position >= end) return;
    const next = this.source.readFrom(position, end);
    while (position < end) {
      if (this.options.signal?.aborted) throw cancelled();
      const chunk = await next();
      if (!chunk) return;
      // A destroyed body may have hashed the same chunk meanwhile; `update` counts each byte once.
      hash.update(chunk, position);
      position += chunk.length;
    }
  }
}

function framed(content: ChunkReader, before?: Buffer, after?: Buffer): ChunkReader {
  let first = before;
  let last = after;
  return async () => {
    if (first) {
      const chunk = first;
      first = undefined;
      return chunk;
    }
    const chunk = await content();
    if (chunk) return chunk;
    const end = last;
    last = undefined;
    return end;
  };
}

/** Buffers at most one chunk: with a higher high-water mark, a reused buffer would be overwritten before it is sent. */
export class ChunkStream extends Readable {
  constructor(
    private readonly next: ChunkReader,
    private readonly aborter: AbortController | undefined,
  ) {
    super({ highWaterMark: 1 });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.aborter?.abort();
    done(error);
  }

  override _read(): void {
    this.next().then(
      (chunk) => this.push(chunk ?? null),
      (error: unknown) => this.destroy(error as Error),
    );
  }
}

/**
 * Splits chunks into slices and returns each when the limiter permits it. The slices share the memory of their chunk;
 * it isn't reused earlier, because the next chunk is requested only after its last slice.
 * @param signal aborts the wait
 */
export function throttleReader(
  next: ChunkReader,
  bandwidth: BandwidthLimiter,
  signal?: AbortSignal,
): ChunkReader {
  let remaining: Buffer | undefined;
  return async () => {
    if (!remaining || remaining.length === 0) remaining = await next();
    if (!remaining) return undefined;
    const slice = remaining.subarray(0, bandwidth.chunkSize);
    await bandwidth.acquire(slice.length, signal);
    remaining = remaining.subarray(slice.length);
    return slice;
  };
}
