/** A source on its way: each opening is a stream; what passes is hashed, counted and told. */
import { Readable } from 'node:stream';
import { type Algorithm, RunningHash } from '../files/checksums';
import type { BodySource } from '../http/http-client';
import type { OnProgress } from '../types';
import type { Pieces, Source } from './source';

export class Outgoing {
  private readonly hash: RunningHash;
  /** Position that was never reached before: only what goes beyond is progress. */
  private furthest = 0;

  constructor(
    private readonly source: Source,
    algorithms: readonly Algorithm[],
    private readonly onProgress?: OnProgress,
  ) {
    this.hash = new RunningHash(algorithms);
  }

  get length(): number {
    return this.source.length;
  }

  /** All of it has been given out at least once. */
  get wasSent(): boolean {
    return this.furthest >= this.length;
  }

  /**
   * A body from a byte on to the end.
   * @param frame bytes to send before and after
   */
  from(start: number, progressed: () => void, frame: { before?: Buffer; after?: Buffer } = {}): BodySource {
    const { before, after } = frame;
    return {
      length: (before?.length ?? 0) + this.length - start + (after?.length ?? 0),
      open: () => new PieceStream(framed(this.counted(start, progressed), before, after)),
    };
  }

  /** Checksum of the whole; of a kind that wasn't computed on the way, it is read again. */
  async digest(algorithm: Algorithm): Promise<string> {
    let hash = this.hash;
    if (hash.digest(algorithm) === undefined) hash = new RunningHash([algorithm]);
    await this.readInto(hash, this.length);
    return hash.digest(algorithm) ?? '';
  }

  private counted(start: number, progressed: () => void): Pieces {
    const next = this.source.piecesFrom(start);
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
    this.onProgress?.(position, this.length);
    if (position <= this.furthest) return;
    this.furthest = position;
    progressed();
  }

  private async readInto(hash: RunningHash, end: number): Promise<void> {
    if (hash.position >= end) return;
    const next = this.source.piecesFrom(hash.position);
    while (hash.position < end) {
      const piece = await next();
      if (!piece) return;
      hash.update(piece.subarray(0, end - hash.position));
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
  constructor(private readonly next: Pieces) {
    super({ highWaterMark: 1 });
  }

  override _read(): void {
    this.next().then(
      (piece) => this.push(piece ?? null),
      (error: unknown) => this.destroy(error as Error),
    );
  }
}
