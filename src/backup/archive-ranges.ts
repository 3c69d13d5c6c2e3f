/**
 * Reads parts of an archive on the drive, and its index (archive-index.ts), without the rest of it. An encrypted one
 * consists of chunks of one size, so that each can be found and decrypted alone.
 */
import { PassThrough, type Writable } from 'node:stream';
import type { DriveContext } from '../drive/drive-context';
import { sizeOf } from '../drive/checksums';
import { isArmored } from './archive/age-armor';
import { AgeChunks, AgeHeaderReader } from './archive/age';
import { ArchiveIndex, IndexError, type RangeSource } from './archive/archive-index';
import { type ArchiveSecrets, requiredSecret } from './archive/open-archive';
import { onAbort } from '../core/abort';
import { fetchRange } from '../transfer/download/fetch-range';
import { isDriveError } from '../errors';
import type { ByteSink } from '../core/buffers';
import type { HttpResponse } from '../http/client';
import { parseContentRange } from '../transfer/content-range';
import { observedTransfer } from '../http/observer';
import type { BudgetedCall } from '../http/retry';
import type { CallOptions, DriveFile } from '../types';

/** Without encryption or with it; only these contain an index. */
const INDEXED_NAME = /\.(?:tar\.gz|tgz)(?:\.age)?$/i;
const ENCRYPTED_NAME = /\.age$/i;
/** Bytes in which the header of an encrypted archive is expected. */
const HEADER_LENGTH = 16 * 1024;
/** The end of a larger archive is expected to contain more of an index. */
const TAIL = { share: 1 / 2048, min: 64 * 1024, max: 4 * 1024 * 1024 };
/** Bytes that wait for their reader, before and behind a stream. */
const MAX_QUEUED = 1024 * 1024;

/**
 * @returns undefined for an archive without an index, and for a service without ranges
 * @throws IndexError for an index that can't be used; `invalid_input` for a wrong passphrase or key
 */
export async function openIndex(
  drive: DriveContext,
  file: DriveFile,
  secrets: ArchiveSecrets,
  call: CallOptions,
): Promise<ArchiveIndex | undefined> {
  const { name = '' } = file;
  const size = sizeOf(file);
  if (!INDEXED_NAME.test(name) || !size) return undefined;
  const ranges = new RemoteRanges(drive, { id: file.id, name, size }, call);
  const tailLength = Math.min(TAIL.max, Math.max(TAIL.min, Math.ceil(size * TAIL.share)));
  try {
    const source = ENCRYPTED_NAME.test(name) ? await DecryptedRanges.open(ranges, secrets) : ranges;
    return await ArchiveIndex.read(source, Math.min(source.size, tailLength));
  } catch (error) {
    if (error instanceof NoRanges) return undefined;
    throw error;
  }
}

/** The service has sent something other than the requested range. */
class NoRanges extends IndexError {}

interface RemoteArchive {
  id: string;
  name: string;
  size: number;
}

class RemoteRanges implements RangeSource {
  constructor(
    private readonly drive: DriveContext,
    private readonly file: RemoteArchive,
    private readonly call: CallOptions,
  ) {}

  get name(): string {
    return this.file.name;
  }

  get size(): number {
    return this.file.size;
  }

  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    if (end <= start) return;
    const aborter = new AbortController();
    const { signal } = this.call;
    const abort = (): void => aborter.abort();
    if (signal?.aborted) abort();
    const stop = signal && onAbort(signal, abort);
    const queue = new PassThrough({ highWaterMark: MAX_QUEUED / 2 });
    const call = this.drive.engine.withRetryBudget({ ...this.call, signal: aborter.signal });
    const fetching = new RangeFetch(this.drive, this.file, { start, end, queue }).run(call);
    fetching.then(
      () => queue.end(),
      (error: unknown) => queue.destroy(error as Error),
    );
    try {
      yield* queue as AsyncIterable<Buffer>;
    } finally {
      stop?.();
      abort();
      await fetching.catch(() => undefined);
    }
  }
}

/** Fetches one range. A lost connection is continued where it ended. */
class RangeFetch {
  private position: number;

  constructor(
    private readonly drive: DriveContext,
    private readonly file: RemoteArchive,
    private readonly range: { start: number; end: number; queue: Writable },
  ) {
    this.position = range.start;
  }

  run(call: BudgetedCall): Promise<void> {
    const { engine } = this.drive;
    const bytes = (): number => this.position - this.range.start;
    const fetch = (): Promise<void> => engine.retry(() => this.attempt(call), call);
    return observedTransfer(engine.observe, 'download', bytes, fetch);
  }

  private attempt(call: BudgetedCall): Promise<void> {
    const { id, size } = this.file;
    const { queue, end } = this.range;
    const openSink = ({ status, headers }: HttpResponse): ByteSink => {
      const { start, total = size } = parseContentRange(headers['content-range']) ?? {};
      if (status !== 206 || start !== this.position || total !== size) throw new NoRanges('range');
      return {
        write: (chunk) => {
          this.position += chunk.length;
          call.budget.restart();
          return queue.write(Buffer.from(chunk));
        },
        drained: () => drained(queue),
        end: () => Promise.resolve(),
      };
    };
    return fetchRange(this.drive, { id, start: this.position, end }, openSink, call).catch(
      (error: unknown) => {
        throw isDriveError(error) && error.status === 416 ? new NoRanges('range') : error;
      },
    );
  }
}

/** Resolves when there is room for more, or nobody reads any more. */
export async function drained(queue: Writable): Promise<void> {
  if (!queue.writableNeedDrain || queue.destroyed) return;
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      queue.off('drain', stop).off('close', stop);
      resolve();
    };
    queue.on('drain', stop).on('close', stop);
  });
}

/** The content of an encrypted archive. */
class DecryptedRanges implements RangeSource {
  private constructor(
    private readonly ranges: RangeSource,
    private readonly chunks: AgeChunks,
  ) {}

  static async open(ranges: RangeSource, secrets: ArchiveSecrets): Promise<DecryptedRanges> {
    const { name, size } = ranges;
    const reader = new AgeHeaderReader();
    for (let start = 0; start < size; start += HEADER_LENGTH) {
      for await (const chunk of ranges.read(start, Math.min(size, start + HEADER_LENGTH))) {
        // It is read completely: in base64, no part can be found as easily.
        if (start === 0 && isArmored(chunk)) throw new NoRanges('armor');
        const header = reader.add(chunk);
        if (!header) continue;
        const secret = requiredSecret(header, { name, secrets });
        return new DecryptedRanges(ranges, await AgeChunks.open(header, secret, { name, size }));
      }
    }
    throw new IndexError('encryption');
  }

  get name(): string {
    return this.ranges.name;
  }

  get size(): number {
    return this.chunks.size;
  }

  async *read(start: number, end: number): AsyncGenerator<Buffer> {
    const range = this.chunks.rangeOf(start, end);
    // Of the first and the last chunk, only a part was requested.
    let { skipped } = range;
    let remaining = end - start;
    for await (const chunk of this.chunks.decrypt(range.first, this.ranges.read(range.start, range.end))) {
      const part = chunk.subarray(skipped, skipped + remaining);
      skipped = Math.max(0, skipped - chunk.length);
      remaining -= part.length;
      if (part.length > 0) yield part;
    }
  }
}
