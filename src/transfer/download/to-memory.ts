/** Downloads a file into memory. */
import { constants } from 'node:buffer';
import { DriveError, actualSize, maximumSize } from '../../errors';
import { RunningHash } from '../../drive/checksums';
import type { DriveContext } from '../../drive/drive-context';
import type { ByteSink } from '../../core/buffers';
import type { CallOptions, DriveFile } from '../../types';
import { type Destination, type SinkEvents, fetchContent } from './fetch-content';
import { type DownloadRequest, type DownloadFile, getDownloadFile } from './download-file';

export interface MemoryDownload extends DownloadRequest {
  /** Bytes. A larger file is rejected before its content is fetched. */
  maxSize: number;
}

/** @throws `too_large`, `not_downloadable`, `checksum_mismatch`, `not_found`, … */
export async function downloadToMemory(
  drive: DriveContext,
  request: MemoryDownload,
  call: CallOptions,
): Promise<{ file: DriveFile; content: Buffer }> {
  const budgeted = drive.engine.withRetryBudget(call);
  const remote = await getDownloadFile(drive, request, budgeted);
  const destination = new MemoryDestination(request.maxSize);
  const file = await fetchContent(drive, request, { remote, destination }, budgeted);
  return { file, content: destination.content };
}

export class MemoryDestination implements Destination {
  position = 0;
  /** The content if its size is known: never in memory twice. */
  private buffer: Buffer | undefined;
  /** The content if its size is unknown. */
  private chunks: Buffer[] = [];
  hash = new RunningHash([]);
  private readonly maxSize: number;

  /** @param memory for the content, if it fits */
  constructor(
    maxSize: number,
    private readonly memory?: Buffer,
  ) {
    this.maxSize = Math.min(maxSize, constants.MAX_LENGTH);
  }

  restart({ size, algorithm }: DownloadFile): Promise<void> {
    if (size !== undefined && size > this.maxSize) {
      const params = { size: actualSize(size), limit: maximumSize(this.maxSize) };
      return Promise.reject(new DriveError('too_large', { text: 'too_large', params }));
    }
    this.position = 0;
    this.chunks = [];
    if (this.buffer?.length !== size) this.buffer = size === undefined ? undefined : this.allocate(size);
    this.hash = new RunningHash(algorithm ? [algorithm] : []);
    return Promise.resolve();
  }

  private allocate(size: number): Buffer {
    return this.memory && size <= this.memory.length
      ? this.memory.subarray(0, size)
      : Buffer.allocUnsafeSlow(size);
  }

  openSink(events: SinkEvents): ByteSink {
    let error: DriveError | undefined;
    return {
      write: (chunk) => {
        error ??= this.append(chunk);
        if (error) events.onError(error);
        else events.onWritten();
        return !error;
      },
      drained: () => Promise.resolve(),
      end: () => (error ? Promise.reject(error) : Promise.resolve()),
    };
  }

  get content(): Buffer {
    return this.buffer ?? Buffer.concat(this.chunks, this.position);
  }

  private append(chunk: Buffer): DriveError | undefined {
    const end = this.position + chunk.length;
    if (end > this.maxSize) {
      const limit = maximumSize(this.maxSize);
      return new DriveError('too_large', { text: 'too_large_content', params: { limit } });
    }
    // Bytes beyond the buffer are counted but not stored: the size check then rejects the content.
    if (this.buffer) chunk.copy(this.buffer, this.position);
    else this.chunks.push(Buffer.from(chunk));
    this.hash.update(chunk);
    this.position = end;
    return undefined;
  }
}
