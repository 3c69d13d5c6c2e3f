/**
 * Fetches the blobs of files in the order in which they are needed, some of them in advance: those that are near each
 * other in a pack with one request.
 */
import { freeBuffer } from '../../core/buffers';
import type { LocatedBlob } from './pack';
import type { Repository } from './repository';

/** Bytes of blobs that were fetched, or are being fetched, but weren't taken yet. */
const MAX_AHEAD = 24 * 1024 * 1024;
/** Bytes of ranges in memory: with gaps between blobs, and with blobs that were taken already. */
const MAX_REQUESTED = 2 * MAX_AHEAD;
/** Blobs that are looked at in advance. Small files have small blobs. */
const MAX_BLOBS = 8_192;
/** Requests at once. */
const MAX_REQUESTS = 4;
/** Bytes of a request. */
const MAX_RANGE = 8 * 1024 * 1024;
/** Bytes, or blobs, that are worth a request before the first of them is needed. */
const MIN_BATCH = 8 * 1024 * 1024;
const MIN_BLOBS = 1_024;
/** Bytes between two blobs that are fetched rather than requesting the second one on its own. */
const MAX_GAP = 128 * 1024;

/** A part of a pack, and how many blobs in it are still needed. */
interface Range {
  start: number;
  length: number;
  bytes: Promise<Buffer>;
  users: number;
}

/** A blob that was announced, and how often. */
interface Wanted {
  blob: LocatedBlob;
  uses: number;
  /** Undefined before it is requested. */
  range?: Range;
}

export class BlobFetcher {
  /** By ID, in the order in which they are needed. */
  private readonly wanted = new Map<string, Wanted>();
  /** Those that weren't requested, in the same order. */
  private readonly waiting = new Set<Wanted>();
  /** The same, by pack. */
  private readonly byPack = new Map<string, Set<Wanted>>();
  private waitingBytes = 0;
  private ahead = 0;
  /** Bytes of ranges that were requested and aren't freed. */
  private requested = 0;
  private requests = 0;

  /**
   * @param onFetched is called with the bytes of each request
   * @param recover reads a blob that is damaged or missing from elsewhere, or throws the failure
   */
  constructor(
    private readonly repository: Pick<Repository, 'readPack' | 'openBlob'>,
    private readonly onFetched: (bytes: number) => void,
    private readonly recover: (blob: LocatedBlob, failure: unknown) => Promise<Buffer>,
  ) {}

  /** Whether more blobs should be announced. */
  get hasRoom(): boolean {
    return this.ahead < MAX_AHEAD && this.wanted.size < MAX_BLOBS;
  }

  /** Announces a blob that {@link take} will be called for. Each announcement counts. */
  announce(blob: LocatedBlob): void {
    const known = this.wanted.get(blob.id);
    if (known) {
      known.uses += 1;
      return;
    }
    const wanted = { blob, uses: 1 };
    this.wanted.set(blob.id, wanted);
    const others = this.byPack.get(blob.pack) ?? new Set();
    this.byPack.set(blob.pack, others.add(wanted));
    this.waiting.add(wanted);
    this.waitingBytes += blob.length;
    this.ahead += blob.length;
  }

  /** @returns the plaintext of an announced blob. @throws `bad_response` if it is damaged */
  async take(id: string): Promise<Buffer> {
    const wanted = this.wanted.get(id) as Wanted;
    const range = wanted.range ?? this.request(wanted);
    this.requestMore();
    try {
      const bytes = await range.bytes;
      const start = wanted.blob.offset - range.start;
      return this.repository.openBlob(bytes.subarray(start, start + wanted.blob.length), wanted.blob);
    } catch (error) {
      return await this.recover(wanted.blob, error);
    } finally {
      this.release(wanted);
    }
  }

  /** For an announced blob that isn't needed. */
  skip(id: string): void {
    this.release(this.wanted.get(id) as Wanted);
  }

  private release(wanted: Wanted): void {
    wanted.uses -= 1;
    if (wanted.uses > 0) return;
    this.wanted.delete(wanted.blob.id);
    this.forget(wanted);
    this.ahead -= wanted.blob.length;
    const { range } = wanted;
    if (!range || --range.users > 0) return;
    this.requested -= range.length;
    range.bytes.then(freeBuffer, () => undefined);
  }

  private requestMore(): void {
    for (const wanted of this.waiting) {
      const isWorth = this.waitingBytes >= MIN_BATCH || this.waiting.size >= MIN_BLOBS;
      if (!isWorth || this.requests >= MAX_REQUESTS || this.requested >= MAX_REQUESTED) return;
      this.request(wanted);
    }
  }

  private request(wanted: Wanted): Range {
    const run = this.runAround(wanted);
    const start = (run[0] as Wanted).blob.offset;
    const end = run.reduce((last, { blob }) => Math.max(last, blob.offset + blob.length), 0);
    this.requests += 1;
    this.requested += end - start;
    const bytes = this.repository.readPack(wanted.blob.pack, { start, end }).finally(() => {
      this.requests -= 1;
      this.requestMore();
    });
    // A failure counts when a blob is taken.
    bytes.then(({ length }) => this.onFetched(length)).catch(() => undefined);
    const range = { start, length: end - start, bytes, users: run.length };
    for (const each of run) {
      each.range = range;
      this.forget(each);
    }
    return range;
  }

  /** @returns the blobs that are fetched with this one, in the order of the pack */
  private runAround(wanted: Wanted): Wanted[] {
    const others = [...(this.byPack.get(wanted.blob.pack) ?? [])];
    others.sort((a, b) => a.blob.offset - b.blob.offset);
    let first = others.indexOf(wanted);
    const run = [wanted];
    let [{ offset: start }, end] = [wanted.blob, wanted.blob.offset + wanted.blob.length];
    const fits = (from: number, to: number): boolean => to - from <= MAX_RANGE;
    for (const next of others.slice(first + 1)) {
      const { offset, length } = next.blob;
      if (offset - end > MAX_GAP || !fits(start, offset + length)) break;
      run.push(next);
      end = Math.max(end, offset + length);
    }
    while (first-- > 0) {
      const { offset, length } = (others[first] as Wanted).blob;
      if (start - (offset + length) > MAX_GAP || !fits(offset, end)) break;
      run.unshift(others[first] as Wanted);
      start = offset;
    }
    return run;
  }

  /** It was requested, or isn't needed any more. */
  private forget(wanted: Wanted): void {
    if (!this.waiting.delete(wanted)) return;
    this.waitingBytes -= wanted.blob.length;
    const others = this.byPack.get(wanted.blob.pack);
    others?.delete(wanted);
    if (others?.size === 0) this.byPack.delete(wanted.blob.pack);
  }
}
