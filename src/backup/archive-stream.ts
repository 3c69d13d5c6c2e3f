/** Streams an archive from the drive to a worker thread that reads it. Nothing is written to disk. */
import { type DriveContext } from '../drive/drive-context';
import { type ChecksumAlgorithm, RunningHash } from '../drive/checksums';
import { onAbort } from '../core/abort';
import type { Semaphore } from '../core/semaphore';
import { type Destination, type SinkEvents, fetchContent } from '../transfer/download/fetch-content';
import {
  type DownloadRequest,
  type DownloadFile,
  getDownloadFile,
  isSameContent,
} from '../transfer/download/download-file';
import { type DriveError, isDriveError } from '../errors';
import type { ByteSink } from '../core/buffers';
import type { CallOptions, DriveFile } from '../types';
import { archiveReplaced, isReplaced, rejectReplaced } from './indexed-archive';
import { ArchiveInspection, type InspectJob, type InspectOptions } from './archive/archive-thread';
import type { Inspected } from './entries/inspection';

export interface StreamContext {
  drive: DriveContext;
  transfers: Semaphore;
}

export interface StreamRequest extends Pick<InspectOptions, 'onEntry' | 'onEntries'> {
  download: DownloadRequest;
  job: Omit<InspectJob, 'name' | 'size'>;
  /** Whether the archive may be read again from the start if it was replaced meanwhile. Called then. */
  mayRepeat: () => boolean;
}

interface StreamedArchive extends Inspected {
  file: DriveFile;
}

/**
 * @throws `conflict` if the archive is replaced again while it is read; `checksum_mismatch`, and as
 *   {@link ArchiveInspection.run}
 */
export async function streamArchive(
  context: StreamContext,
  request: StreamRequest,
  call: CallOptions,
): Promise<StreamedArchive> {
  const run = (): Promise<StreamedArchive> => streamOnce(context.drive, request, call);
  return context.transfers.run(
    () =>
      run().catch((error: unknown) => {
        if (!isReplaced(error) || !request.mayRepeat()) throw error;
        return run();
      }),
    call.signal,
  );
}

async function streamOnce(
  drive: DriveContext,
  { download, job, onEntry, onEntries }: StreamRequest,
  call: CallOptions,
): Promise<StreamedArchive> {
  const aborter = new AbortController();
  const stop = call.signal && onAbort(call.signal, () => aborter.abort());
  const budgeted = drive.engine.withRetryBudget({ ...call, signal: aborter.signal });
  let inspection: ArchiveInspection | undefined;
  try {
    const remote = await getDownloadFile(drive, download, budgeted);
    const name = remote.file.name ?? remote.file.id;
    const options = { signal: aborter.signal, onEntry, onEntries };
    inspection = new ArchiveInspection({ ...job, name, size: remote.size }, options);
    const reading = inspection.run();
    const isDamaged = reading.then(
      () => false,
      (error: unknown) => {
        // Whether the archive or only its transfer is damaged, the checksum of the rest will show.
        if (!isDriveError(error, 'bad_response')) aborter.abort();
        return true;
      },
    );
    const destination = new StreamDestination(inspection, remote, name);
    const fetching = fetchContent(drive, download, { remote, destination }, budgeted);
    const file = await fetching.catch(async (error: unknown) => {
      // An error of the thread has aborted the request.
      if (aborter.signal.aborted && !call.signal?.aborted && (await isDamaged)) await reading;
      throw error;
    });
    inspection.finish();
    const inspected = await reading;
    await rejectReplaced(drive, { remote, fields: download.fields }, budgeted);
    return { file: { ...remote.file, ...file }, ...inspected };
  } finally {
    aborter.abort();
    stop?.();
    await inspection?.ended();
  }
}

/** Passes on each byte once, even if the service sends it again. */
class StreamDestination implements Destination {
  position = 0;
  private passedOn = 0;
  hash: RunningHash;
  private readonly algorithm: ChecksumAlgorithm;
  /** Of the bytes that were passed on. */
  private digestBefore: string | undefined;

  constructor(
    private readonly sink: ByteSink,
    private remote: DownloadFile,
    private readonly name: string,
  ) {
    this.algorithm = remote.algorithm ?? 'sha256';
    this.hash = new RunningHash([this.algorithm]);
  }

  restart(remote: DownloadFile): Promise<void> {
    if (this.passedOn > 0 && !isSameSize(this.remote, remote))
      return Promise.reject(archiveReplaced(this.name));
    if (this.position === this.passedOn) this.digestBefore = this.hash.digest(this.algorithm);
    this.remote = remote;
    this.position = 0;
    this.hash = new RunningHash([this.algorithm]);
    return Promise.resolve();
  }

  openSink(events: SinkEvents): ByteSink {
    const { sink } = this;
    let error: DriveError | undefined;
    return {
      write: (chunk) => {
        const repeated = Math.min(chunk.length, this.passedOn - this.position);
        this.add(chunk.subarray(0, repeated));
        if (
          repeated > 0 &&
          this.position === this.passedOn &&
          this.hash.digest(this.algorithm) !== this.digestBefore
        )
          error ??= archiveReplaced(this.name);
        if (error) {
          events.onError(error);
          return false;
        }
        const rest = chunk.subarray(repeated);
        this.add(rest);
        this.passedOn = Math.max(this.passedOn, this.position);
        events.onWritten();
        return sink.write(rest);
      },
      drained: () => sink.drained(),
      end: () => (error ? Promise.reject(error) : Promise.resolve()),
    };
  }

  private add(bytes: Buffer): void {
    this.hash.update(bytes);
    this.position += bytes.length;
  }
}

/** Without metadata, only the size is known. */
function isSameSize(before: DownloadFile, now: DownloadFile): boolean {
  return before.hasMetadata
    ? isSameContent(before, now)
    : before.size === undefined || before.size === now.size;
}
