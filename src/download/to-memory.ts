/** A file's content in memory. */
import { constants } from 'node:buffer';
import { DriveError } from '../errors';
import { type ChecksumAlgorithm, RunningHash } from '../api/checksums';
import type { DriveContext } from '../api/drive-context';
import { formatSize } from '../http/format-size';
import type { CallOptions, DriveFile } from '../types';
import { type ContentSink, fetchContent } from './fetch-content';
import type { ByteSink, IntakeEvents } from './byte-sink';
import { type DownloadRequest, type RemoteFile, remoteFile } from './remote-file';

export interface ToMemory extends DownloadRequest {
  /** Bytes; a larger file is refused before it is fetched. */
  maxSize: number;
}

/** @throws `too_large`, `not_downloadable`, `checksum_mismatch`, `not_found`, … */
export async function downloadToMemory(
  drive: DriveContext,
  request: ToMemory,
  call: CallOptions,
): Promise<{ file: DriveFile; content: Buffer }> {
  const remote = await remoteFile(drive, request, call);
  const sink = new MemorySink(request.maxSize);
  const file = await fetchContent(drive, request, { remote, sink }, call);
  return { file, content: sink.content };
}

class MemorySink implements ContentSink {
  position = 0;
  private chunks: Buffer[] = [];
  /** Where the size is known: filled as the content comes, so that it is never there twice. */
  private whole: Buffer | undefined;
  private hash = new RunningHash([]);

  private readonly limit: number;

  /** @param maxSize may be more than a buffer can hold: then that is the limit */
  constructor(maxSize: number) {
    this.limit = Math.min(maxSize, constants.MAX_LENGTH);
  }

  begin({ size, algorithm }: RemoteFile): Promise<void> {
    if (size !== undefined && size > this.limit) {
      const params = { size: formatSize(size, 'up'), limit: formatSize(this.limit, 'down') };
      return Promise.reject(new DriveError('too_large', { params }));
    }
    this.position = 0;
    this.chunks = [];
    this.whole = size === undefined ? undefined : Buffer.allocUnsafeSlow(size);
    this.hash = new RunningHash(algorithm ? [algorithm] : []);
    return Promise.resolve();
  }

  open(events: IntakeEvents): ByteSink {
    let failure: DriveError | undefined;
    return {
      take: (piece) => {
        failure ??= this.take(piece);
        if (failure) events.onFailure(failure);
        else events.onBytes();
        return !failure;
      },
      ready: () => Promise.resolve(),
      end: () => (failure ? Promise.reject(failure) : Promise.resolve()),
    };
  }

  digest(algorithm: ChecksumAlgorithm): string | undefined {
    return this.hash.digest(algorithm);
  }

  get content(): Buffer {
    return this.whole ?? Buffer.concat(this.chunks, this.position);
  }

  private take(chunk: Buffer): DriveError | undefined {
    const end = this.position + chunk.length;
    if (end > this.limit) {
      const limit = formatSize(this.limit, 'down');
      return new DriveError('too_large', { text: 'too_large_content', params: { limit } });
    }
    if (!this.whole) this.chunks.push(Buffer.from(chunk));
    // More than the service had announced is counted, so that the comparison finds it, but there is no room for it.
    else chunk.copy(this.whole, this.position);
    this.hash.update(chunk);
    this.position = end;
    return undefined;
  }
}
