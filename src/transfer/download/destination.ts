/** Where a download puts the content: a part file on disk, or memory. */
import type { RunningHash } from '../../drive/checksums';
import type { ByteSink } from '../../core/byte-sink';
import type { DownloadFile } from './download-file';

export interface Destination {
  /** Bytes stored, counted from the start of the content. More than 0 at first if an earlier run is resumed. */
  readonly position: number;
  /** Discards what is stored. @param remote the content that follows. @throws `too_large`, `local_file` */
  restart(remote: DownloadFile): Promise<void>;
  /** Appends at {@link position}. */
  openSink(events: SinkEvents): ByteSink;
  /** Of the stored bytes, with the algorithm of the file. */
  readonly hash: RunningHash;
}

export interface SinkEvents {
  /** {@link Destination.position} has increased. */
  onWritten(): void;
  /** The sink has failed and ignores further chunks. */
  onError(error: Error): void;
}
