/** A source on its way: each opening is a stream; what passes is hashed, counted and told. */
import { Readable } from 'node:stream';
import { cancelled } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../api/checksums';
import type { BandwidthLimiter } from '../concurrency/bandwidth-limiter';
import type { BodySource } from '../http/client';
import type { OnProgress } from '../types';
import { throttle } from './throttle';
import type { Pieces, Source } from './source';

export interface OutgoingOptions {
  onProgress?: OnProgress | undefined;
  /** Bytes that the service holds from an earlier run, 0 if absent. */
  resumed?: number;
  bandwidth?: BandwidthLimiter;
  /** Ends the reading of what is not sent. */
  signal?: AbortSignal | undefined;
}

export interface Around {
  /** Bytes to send before and after the content. */
  before?: Buffer;
  after?: Buffer;
  /** Where the content stops, if not at its end. */
  end?: number;
}

export class HashingBody {
  private readonly hash: RunningHash;
  /** Position that was never reached before: only what goes beyond is progress. */
  private furthest = 0;
  private reached = 0;
  /** Bytes that took no time of this run. */
  private resumed: number;

  constructor(
    private readonly source: Source,
    algorithms: readonly ChecksumAlgorithm[],
    private readonly options: OutgoingOptions = {},
  ) {
    this.hash = new RunningHash(algorithms);
    this.resumed = options.resumed ?? 0;
  }

  get length(): number {
    return this.source.length;
  }

  /** All of it has been given out at least once. */
  get wasSent(): boolean {
    return this.furthest >= this.length;
  }

  /** Where the body that was opened last has got to: what is before it was given to the socket. */
  get position(): number {
    return this.reached;
  }

  /** A body from a byte on to the end. */
  from(start: number, progressed: () => void, { before, after, end = this.length }: Around = {}): BodySource {
    return {
      length: (before?.length ?? 0) + end - start + (after?.length ?? 0),
      open: () => {
        const ending = new AbortController();
        // In a new session it begins anew.
        this.resumed = Math.min(this.resumed, start);
        const content = this.counted(this.pieces(start, end, ending.signal), start, progressed);
        return new PieceStream(framed(content, before, after), ending);
      },
    };
  }

  /**
   * Counts what the service holds from another run. It takes its time: were it done while a body is on its way, the
   * service would give that up.
   */
  countTo(position: number): Promise<void> {
    return this.readInto(this.hash, position);
  }

  /** Checksum of the whole; of a kind that wasn't computed on the way, it is read again. */
  async digest(algorithm: ChecksumAlgorithm): Promise<string> {
    let hash = this.hash;
    if (hash.digest(algorithm) === undefined) hash = new RunningHash([algorithm]);
    await this.readInto(hash, this.length);
    return hash.digest(algorithm) ?? '';
  }

  private pieces(start: number, end: number, signal: AbortSignal): Pieces {
    const { bandwidth } = this.options;
    const pieces = this.source.piecesFrom(start, end);
    return bandwidth?.isLimited ? throttle(pieces, bandwidth, signal) : pieces;
  }

  private counted(next: Pieces, start: number, progressed: () => void): Pieces {
    let position = start;
    return async () => {
      // The service may hold more than was read here: what lies between belongs to the checksum too.
      await this.readInto(this.hash, position);
      this.tell(position, progressed);
      const piece = await next();
      if (piece) {
        this.hash.update(piece, position);
        position += piece.length;
      }
      return piece;
    };
  }

  /** When a piece is asked for, those before it are with the socket. */
  private tell(position: number, progressed: () => void): void {
    this.reached = position;
    this.options.onProgress?.(position, this.length, this.resumed);
    if (position <= this.furthest) return;
    this.furthest = position;
    progressed();
  }

  private async readInto(hash: RunningHash, end: number): Promise<void> {
    let { position } = hash;
    if (position >= end) return;
    const next = this.source.piecesFrom(position, end);
    while (position < end) {
      if (this.options.signal?.aborted) throw cancelled();
      const piece = await next();
      if (!piece) return;
      // What a body that is no longer sent had still to read may have been counted meanwhile.
      hash.update(piece, position);
      position += piece.length;
    }
  }
}

function framed(content: Pieces, before?: Buffer, after?: Buffer): Pieces {
  let first = before;
  let last = after;
  return async () => {
    if (first) {
      const piece = first;
      first = undefined;
      return piece;
    }
    const piece = await content();
    if (piece) return piece;
    const end = last;
    last = undefined;
    return end;
  };
}

/** Holds no more than one piece: with a larger high-water mark a reused buffer would be sent twice. */
class PieceStream extends Readable {
  constructor(
    private readonly next: Pieces,
    private readonly ending: AbortController,
  ) {
    super({ highWaterMark: 1 });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.ending.abort();
    done(error);
  }

  override _read(): void {
    this.next().then(
      (piece) => this.push(piece ?? null),
      (error: unknown) => this.destroy(error as Error),
    );
  }
}
